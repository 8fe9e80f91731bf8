/// What went wrong in discovery. Only the code is stable; the message is for people.
package struct DiscoveryError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Others may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case malformedTXT, valueTooLong, invalidAnnouncement, invalidAddress, tooManyAddresses
            case alreadyRunning, daemonUnavailable, connectionRefused, serviceFailed, stackFailed, outOfResources
        }

        private let kind: Kind

        /// Bytes that are not a TXT record as RFC 6763 section 6 has it.
        package static let malformedTXT = Code(kind: .malformedTXT)
        /// A TXT value that does not fit into its record.
        package static let valueTooLong = Code(kind: .valueTooLong)
        /// A TXT record that lacks a key which every node advertises, or has a value that cannot be.
        package static let invalidAnnouncement = Code(kind: .invalidAnnouncement)
        /// Text that is not a host and a port.
        package static let invalidAddress = Code(kind: .invalidAddress)
        /// More static peers than `StaticPeers.maximumCount`.
        package static let tooManyAddresses = Code(kind: .tooManyAddresses)
        /// `Discovery.run()` was called a second time.
        package static let alreadyRunning = Code(kind: .alreadyRunning)
        /// No DNS-SD daemon answers.
        package static let daemonUnavailable = Code(kind: .daemonUnavailable)
        /// The daemon, or the bus before it, takes no further client of this user.
        package static let connectionRefused = Code(kind: .connectionRefused)
        /// The daemon answered, and refused what it was asked.
        package static let serviceFailed = Code(kind: .serviceFailed)
        /// The DNS-SD stack in this process cannot run.
        package static let stackFailed = Code(kind: .stackFailed)
        /// The operating system gives no further file descriptor or thread.
        package static let outOfResources = Code(kind: .outOfResources)

        package var description: String { kind.rawValue }
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { cause.map { "\(message): \($0)" } ?? message }
}
