/// A token as the local API shows it, without its secret.
package struct GatewayToken: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let name: String
    /// Of `Scope`; or `page` for a session of the page, which is no token.
    package let scopes: [String]
    /// The only users and conversations to which it may send or insert drafts; a conversation's name begins with `#`. Left out for all.
    package let to: [GatewayParty]?
    /// ISO 8601 in UTC with milliseconds, as the other times.
    package let createdAt: String
    /// Left out for a token that works until it is revoked.
    package let expiresAt: String?
    /// When it was last used. Left out for one that was not.
    package let usedAt: String?
}

/// A token that was just made. Nobody can get the text again.
package struct GatewayNewToken: Codable, Hashable, Sendable {
    /// What a program shows: `Authorization: Bearer TOKEN`.
    package let token: String
    package let details: GatewayToken
}
