/// One thing that was looked at to find out why messages do not flow, and what was found.
public struct Finding: Hashable, Sendable {
    /// What was looked at. The names are stable: programs may rely on them.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        // What a home directory shows.
        /// The home directory: whether there is one, and who may read it.
        case home
        /// Whose the home directory is now.
        case lock
        /// The socket of the local API.
        case socket
        /// Free space, and whether writes succeed.
        case disk
        case database
        case credential

        // What this machine's network shows.
        case interfaces
        /// Whether packets to the local network leave by the interface that is in it.
        case routes
        /// Whether multicast DNS gets out of this machine and in.
        case multicast

        // What only a running node knows.
        /// Whether a node answers, or could be started.
        case node
        /// By what peers are found.
        case discovery
        /// Who is there.
        case peers
        /// Whether this node's device is advertised from elsewhere too.
        case deviceCopy
        /// Whether the others here are of this node's network.
        case networkKey
        /// Whether peers can connect to this node.
        case port
        /// This machine's clock against the peers'.
        case clock
        /// Whose a name is.
        case names
        /// Links that failed lately.
        case links
        /// Handshakes that came to nothing lately, in numbers.
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

    /// What was looked at.
    public let check: Check
    /// How bad it is.
    public let severity: Severity
    /// Which fault it is. There is none where all is as it should be.
    public let code: Code?
    /// What was found, in a sentence for people.
    public let what: String
    /// Why it matters. There is none where all is as it should be.
    public let why: String?
    /// What it is about, for programs, and for those who say what to do.
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
