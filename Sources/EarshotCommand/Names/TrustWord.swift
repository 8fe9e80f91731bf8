import Earshot
import EarshotGateway

/// A user's trust, in a word.
enum TrustWord {
    static let conflict = "CONFLICT"

    static func of(_ user: GatewayUser) -> String {
        if user.trust == Trust.blocked.rawValue { return user.trust }
        if user.conflictsWith != nil { return conflict }
        if user.trust == Trust.verified.rawValue || user.isPinned { return user.trust }
        // Met, without any message exchanged yet.
        return "new"
    }

    static func coloured(_ text: String, of user: GatewayUser, _ style: Style) -> String {
        switch of(user) {
        case conflict: style.red(text)
        case Trust.verified.rawValue: style.green(text)
        case Trust.blocked.rawValue: style.dim(text)
        default: text
        }
    }
}

extension GatewayUser {
    var isBlocked: Bool { trust == Trust.blocked.rawValue }
    var isVerified: Bool { trust == Trust.verified.rawValue }
    /// Whether there is something to decide: a blocked claimant is already kept out.
    var isInConflict: Bool { conflictsWith != nil && !isBlocked }
}
