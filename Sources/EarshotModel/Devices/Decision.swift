/// What a user has decided about another, as one of their devices says it to the others: in their own conversation.
package struct Decision: Hashable, Sendable {
    package let verdict: TrustDecision
    package let userID: UserID
    /// What the other was called then.
    package let name: UserName
    /// One more than that of the last decision that its device knew.
    package let counter: UInt64
    /// The identity key's signature, for this device: without it nobody is accepted or verified.
    package var proof: Signature?

    package init(
        _ verdict: TrustDecision, about userID: UserID, name: UserName, counter: UInt64, proof: Signature? = nil
    ) {
        self.verdict = verdict
        self.userID = userID
        self.name = name
        self.counter = counter
        self.proof = proof
    }
}

extension TrustDecision {
    /// Whether it counts on other devices only with the identity key's signature.
    package var needsProof: Bool {
        switch self {
        case .accept, .verify: true
        case .block, .unblock: false
        }
    }
}

/// Where the logs of a revoked device end in one conversation: what it has written behind that counts for nothing.
package struct DeviceCut: Hashable, Sendable {
    package let deviceID: DeviceID
    /// The last entry that counts, for each log and branch. Of a log that none of them is in nothing counts.
    package let ends: [LogPlace]
    /// The identity key's signature.
    package var proof: Signature

    package init(of deviceID: DeviceID, after ends: [LogPlace], proof: Signature) {
        self.deviceID = deviceID
        self.ends = ends
        self.proof = proof
    }
}
