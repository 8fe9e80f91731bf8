/// The credential that proves to peers which user this device belongs to.
struct CredentialFacts: Hashable, Sendable {
    /// Milliseconds since 1970.
    let notBefore: Int64
    let notAfter: Int64
    /// Whether the identity that renews it is at hand: it is not sealed, or its passphrase was given.
    let canRenew: Bool
    /// Whether this is a linked device, whose credential a primary device renews.
    var isLinked = false
    /// Whether a running node uses it.
    let isInUse: Bool

    private var renewalDue: Int64 { notBefore + (notAfter - notBefore) * 2 / 3 }

    /// - Parameter now: the wall clock.
    func findings(now: Int64) -> [Finding] {
        if now < notBefore { return [notYetValid(now: now)] }
        if now >= notAfter { return [expired(now: now)] }
        let left = TimeSpan.text(milliseconds: notAfter - now)
        if isLinked, now >= renewalDue {
            return [
                .warning(
                    .credential, .credentialNeedsPrimary,
                    "the credential expires in \(left), and no primary device of this user has renewed it",
                    why: "peers refuse a node whose credential has expired")
            ]
        }
        guard !canRenew, now >= renewalDue else { return [.ok(.credential, "the credential is valid for \(left)")] }
        return [
            .warning(
                .credential, .credentialSealed,
                "the credential expires in \(left), and the identity that renews it is sealed",
                why: "peers refuse a node whose credential has expired")
        ]
    }

    private func expired(now: Int64) -> Finding {
        let what = "the credential expired \(TimeSpan.text(milliseconds: now - notAfter)) ago"
        if isLinked {
            return .problem(
                .credential, .credentialNeedsPrimary, "\(what), and no primary device of this user has renewed it",
                why: "peers refuse a node whose credential has expired")
        }
        if !canRenew {
            return .problem(
                .credential, .credentialSealed, "\(what), and the identity that renews it is sealed",
                why: "peers refuse a node whose credential has expired")
        }
        guard isInUse else {
            return .note(
                .credential, .credentialExpired, what, why: "peers refuse a node whose credential has expired")
        }
        return .problem(
            .credential, .credentialNotRenewed, "\(what), and the node that runs has not renewed it",
            why: "peers refuse a node whose credential has expired")
    }

    private func notYetValid(now: Int64) -> Finding {
        .problem(
            .credential, .credentialNotYetValid,
            "the credential is not valid for another \(TimeSpan.text(milliseconds: notBefore - now))",
            why:
                "this machine's clock is behind what it was when the credential was made, and peers may refuse the node"
        )
    }
}
