import Earshot

/// The number that this node's user and another compare, to be sure that nobody is in between.
package struct GatewaySafetyNumber: Codable, Hashable, Sendable {
    package let user: GatewayUser
    /// 60 digits, the same on both sides.
    package let digits: String
    /// The digits in groups of five.
    package let text: String
}

extension GatewaySafetyNumber {
    init(user: GatewayUser, number: SafetyNumber) {
        self.user = user
        digits = number.digits
        text = number.description
    }
}
