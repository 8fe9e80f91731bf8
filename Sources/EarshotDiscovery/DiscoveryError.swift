/// What went wrong in discovery. Only the code is stable; the message is for people.
public struct DiscoveryError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Others may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case malformedTXT, valueTooLong, invalidAnnouncement, invalidAddress, tooManyAddresses
            case alreadyRunning, daemonUnavailable, connectionRefused, serviceFailed, stackFailed, outOfResources
        }

        private let kind: Kind

        /// Bytes that are not a TXT record as RFC 6763 section 6 has it.
        public static let malformedTXT = Code(kind: .malformedTXT)
        /// A TXT value that does not fit into its record.
        public static let valueTooLong = Code(kind: .valueTooLong)
        /// A TXT record that lacks a key which every node advertises, or has a value that cannot be.
        public static let invalidAnnouncement = Code(kind: .invalidAnnouncement)
        /// Text that is not a host and a port.
        public static let invalidAddress = Code(kind: .invalidAddress)
        /// More static peers than `StaticPeers.maximumCount`.
        public static let tooManyAddresses = Code(kind: .tooManyAddresses)
        /// `Discovery.run()` was called a second time.
        public static let alreadyRunning = Code(kind: .alreadyRunning)
        /// No DNS-SD daemon answers.
        public static let daemonUnavailable = Code(kind: .daemonUnavailable)
        /// The daemon, or the bus before it, takes no further client of this user.
        public static let connectionRefused = Code(kind: .connectionRefused)
        /// The daemon answered, and refused what it was asked.
        public static let serviceFailed = Code(kind: .serviceFailed)
        /// The DNS-SD stack in this process cannot run.
        public static let stackFailed = Code(kind: .stackFailed)
        /// The operating system gives no further file descriptor.
        public static let outOfResources = Code(kind: .outOfResources)

        public var description: String { kind.rawValue }
    }

    public let code: Code
    public let message: String
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { cause.map { "\(message): \($0)" } ?? message }
}
