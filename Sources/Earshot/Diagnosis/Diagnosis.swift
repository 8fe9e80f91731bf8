import Dispatch
import EarshotProtocol

/// Finds out why messages do not flow, as far as that shows without a node.
///
/// `Node.findings()` reports what a running node sees.
public enum Diagnosis {
    /// Looks at a home directory and at this machine's network, and changes nothing.
    ///
    /// - Parameters:
    ///   - home: the home directory to look at.
    ///   - discovery: the interfaces on which a node looks for peers.
    ///   - testsMulticast: whether to send one multicast DNS question on each of these interfaces, and listen for it.
    /// - Returns: a finding for everything that was checked, in the order of `Finding.Check`.
    /// - Throws: `CancellationError`.
    public static func of(
        _ home: Home, discovery: DiscoveryConfiguration = DiscoveryConfiguration(), testsMulticast: Bool = true
    ) async throws(CancellationError) -> [Finding] {
        async let network = NetworkFacts.gathered(discovery, testsMulticast: testsMulticast)
        do {
            return try await homeFindings(of: home) + network.findings
        } catch {
            throw CancellationError()
        }
    }

    /// Whether a node may be started to look further: it would change a damaged database, or would not run at all.
    public static func allowsStart(_ findings: [Finding]) -> Bool {
        !findings.contains { $0.severity == .problem && [.home, .lock, .database].contains($0.check) }
    }

    private static func homeFindings(of home: Home) async throws(CancellationError) -> [Finding] {
        let facts = try await HomeFacts.gathered(of: home)
        let disk = DiskFacts.gathered(at: home.path)?.findings ?? []
        guard facts.state == .initialized else { return facts.findings + disk }
        let database = await onThread { DatabaseFacts.gathered(at: home.databaseFile) }
        // A running node knows its own credential.
        return facts.findings + disk + database.findings + (facts.isInUse ? [] : credentialFindings(of: home))
    }

    private static func credentialFindings(of home: Home) -> [Finding] {
        do throws(EarshotError) {
            return try CredentialFacts.gathered(of: home).findings(now: Home.now)
        } catch {
            // Files that others may read already have a finding.
            guard error.code != .looseHome else { return [] }
            return [
                .problem(
                    .credential, .credentialUnreadable, error.message,
                    why: "a node shows its credential to every peer", error.parameters)
            ]
        }
    }

    /// Reads the whole database. That may take a while, and holds up no task.
    private static func onThread<Output: Sendable>(_ work: @escaping @Sendable () -> Output) async -> Output {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "earshot.diagnosis").async { continuation.resume(returning: work()) }
        }
    }
}

extension HomeFacts {
    fileprivate var isInUse: Bool {
        if case .held = lock { true } else { false }
    }
}

extension CredentialFacts {
    /// - Throws: `EarshotError` `looseHome` or `unusableHome`.
    static func gathered(of home: Home) throws(EarshotError) -> CredentialFacts {
        let (credential, isSealed) = (try home.readCredential(), try home.isSealed)
        return CredentialFacts(
            notBefore: credential.notBefore, notAfter: credential.notAfter, canRenew: !home.isLinked && !isSealed,
            isLinked: home.isLinked, isInUse: false)
    }
}
