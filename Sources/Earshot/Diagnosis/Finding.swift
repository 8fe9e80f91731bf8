/// One check of why messages do not flow, and its result.
public struct Finding: Hashable, Sendable {
    /// What was checked. The names are stable: programs may rely on them.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        // What a home directory shows.
        /// The home directory: whether there is one, and who may read it.
        case home
        /// Which process holds the home directory.
        case lock
        /// The socket of the local API.
        case socket
        /// Free space, and whether writes succeed.
        case disk
        case database
        case credential

        // What this machine's network shows.
        case interfaces
        /// Whether packets to the local network leave by an interface of that network.
        case routes
        /// Whether multicast DNS gets out of this machine and in.
        case multicast

        // What only a running node knows.
        /// Whether a node answers, or could be started.
        case node
        /// How the node finds peers.
        case discovery
        /// Which peers are there.
        case peers
        /// Whether this node's device is also advertised from elsewhere.
        case deviceCopy
        /// Whether other nodes here belong to this node's network.
        case networkKey
        /// Whether peers can connect to this node.
        case port
        /// This machine's clock, compared with the peers'.
        case clock
        /// Who owns a name.
        case names
        /// Links that failed lately.
        case links
        /// How many handshakes failed lately.
        case handshakes
        /// Whether programs that observe the node keep up.
        case events
    }

    public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        /// As it should be.
        case ok
        /// Worth knowing; nothing needs to be done.
        case note
        /// Some messages may not flow, or will not soon.
        case warning
        /// Messages do not flow.
        case problem

        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// What was checked.
    public let check: Check
    /// How bad it is.
    public let severity: Severity
    /// The fault; `nil` if all is as it should be.
    public let code: Code?
    /// What was found, in a sentence for people.
    public let what: String
    /// Why it matters; `nil` if all is as it should be.
    public let why: String?
    /// The details, for programs that say what to do.
    public let parameters: EarshotError.Parameters

    private init(
        _ check: Check, _ severity: Severity, _ code: Code?, _ what: String, why: String?,
        _ parameters: EarshotError.Parameters
    ) {
        self.check = check
        self.severity = severity
        self.code = code
        self.what = what
        self.why = why
        self.parameters = parameters
    }

    static func ok(_ check: Check, _ what: String) -> Self { Self(check, .ok, nil, what, why: nil, .init()) }

    static func note(
        _ check: Check, _ code: Code, _ what: String, why: String? = nil,
        _ parameters: EarshotError.Parameters = .init()
    ) -> Self {
        Self(check, .note, code, what, why: why, parameters)
    }

    static func warning(
        _ check: Check, _ code: Code, _ what: String, why: String, _ parameters: EarshotError.Parameters = .init()
    ) -> Self {
        Self(check, .warning, code, what, why: why, parameters)
    }

    static func problem(
        _ check: Check, _ code: Code, _ what: String, why: String, _ parameters: EarshotError.Parameters = .init()
    ) -> Self {
        Self(check, .problem, code, what, why: why, parameters)
    }
}
