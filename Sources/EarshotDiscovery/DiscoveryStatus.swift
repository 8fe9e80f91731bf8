/// The state of discovery at one moment.
package struct DiscoveryStatus: Sendable, Hashable {
    package enum Stack: Sendable, Hashable {
        case used(DiscoveryStack)
        /// Nobody is found; a reason for people.
        case none(reason: String)
    }

    /// The stack that finds devices now.
    package let stack: Stack
    /// Devices that are there.
    package let deviceCount: Int
    /// What is open in the stacks right now: advertisements, browsers, resolvers, record browsers, and the embedded
    /// stack itself. It does not grow as devices come and go.
    package let operationCount: Int

    package init(stack: Stack, deviceCount: Int, operationCount: Int) {
        self.stack = stack
        self.deviceCount = deviceCount
        self.operationCount = operationCount
    }
}
