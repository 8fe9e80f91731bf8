import EarshotGateway

extension TrustWord {
    static func coloured(_ text: String, of user: GatewayUser, _ style: Style) -> String {
        switch TrustWord(rawValue: user.trust) {
        case .conflict: style.red(text)
        case .verified: style.green(text)
        case .blocked: style.dim(text)
        case .new, .unverified, nil: text
        }
    }
}

extension GatewayUser {
    var isBlocked: Bool { trust == TrustWord.blocked.rawValue }
    var isVerified: Bool { trust == TrustWord.verified.rawValue }
    /// Whether there is something to decide: a blocked claimant is already kept out.
    var isInConflict: Bool { trust == TrustWord.conflict.rawValue }
}
