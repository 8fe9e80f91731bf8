/// A token that lets a program use a node, as the store holds it: without the secret.
package struct TokenRecord: Hashable, Sendable, Identifiable {
    /// The part of the token that is no secret.
    package let tokenID: String
    /// What its owner calls it. No other token has the name.
    package let name: String
    /// The hash of the secret.
    package let hash: Bytes32
    /// What it is good for, in the local API's words.
    package let scopes: [String]
    /// The only users and conversations to which it may send; `nil` for all.
    package let recipients: Set<Destination>?
    /// In milliseconds since 1970, as the other times.
    package let createdAt: Int64
    package let expiresAt: Int64?
    package var usedAt: Int64?

    package var id: String { tokenID }

    package init(
        tokenID: String, name: String, hash: Bytes32, scopes: [String], recipients: Set<Destination>?, createdAt: Int64,
        expiresAt: Int64?, usedAt: Int64? = nil
    ) {
        self.tokenID = tokenID
        self.name = name
        self.hash = hash
        self.scopes = scopes
        self.recipients = recipients
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}
