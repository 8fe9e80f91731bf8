import Earshot
import EarshotGateway

/// All users of one name, and which of them a person means who gives the name to "the other".
struct NameClaims {
    let name: String
    /// The one to whom the name is pinned first.
    let claimants: [GatewayUser]
    /// The user whom the argument identifies, if it is more than the name.
    private let chosen: GatewayUser?

    enum Other {
        case user(GatewayUser)
        /// The name already belongs to this user, or nobody else wants it.
        case nobody(GatewayUser)
        case several([GatewayUser])
    }

    /// - Parameter user: the user whom the argument names; `nil` if several users have the name.
    init(_ argument: String, user: GatewayUser?, _ names: NameBook) {
        name = user?.name ?? argument
        claimants = names.users(called: name)
        chosen = argument == name ? nil : user
    }

    var pinned: GatewayUser? { claimants.first(where: \.isPinned) }

    /// The user who gets the name if this node's user accepts.
    var other: Other {
        if let chosen { return chosen.isPinned ? .nobody(chosen) : .user(chosen) }
        // A blocked claimant is already kept out.
        let others = claimants.filter { !$0.isPinned && !$0.isBlocked }
        if others.count > 1 { return .several(others) }
        if let other = others.first { return .user(other) }
        if let pinned { return .nobody(pinned) }
        return claimants.count == 1 ? .user(claimants[0]) : .several(claimants)
    }
}
