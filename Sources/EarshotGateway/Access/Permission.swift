/// Who may use a route of the local API.
///
/// What outlives a token, or is more than a token, takes none: whoever got hold of one must not get what stays when it is
/// revoked, nor another user's keys.
enum Permission: Hashable, Sendable {
    /// Whoever is let in at all: any token will do.
    case anybody
    /// Programs whose token has the scope, the page, and the owner.
    case scope(Scope)
    /// The page, and the owner.
    case page
    /// The owner on the Unix socket.
    case owner

    static let read = Permission.scope(.read)
    static let draft = Permission.scope(.draft)
    static let send = Permission.scope(.send)
    static let all = Permission.scope(.all)

    /// As the document says it (`x-scope`); empty where any token will do.
    var name: String {
        switch self {
        case .anybody: ""
        case .scope(let scope): scope.rawValue
        case .page: "page"
        case .owner: "owner"
        }
    }
}
