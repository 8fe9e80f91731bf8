import EarshotProtocol
import EarshotStore
import Foundation

/// A user and what they say of themselves: a snapshot.
public struct UserDescriptor: Hashable, Sendable {
    public let user: User
    /// `nil` for a user who has said nothing.
    public let profile: Profile?
}

extension Users {
    /// What a user says of themselves, as far as it has reached this node; `nil` if they have said nothing.
    ///
    /// It is a label, as the name is: it proves nothing. `Event.userUpdated` with `UserChange.profile` says that it changed.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func profile(of userID: UserID) async throws(EarshotError) -> Profile? {
        let store = node.store
        let conversationID = ConversationID.direct(node.userID, userID)
        let rows = try await node.readStore { () throws(StoreError) in
            try store.profiles(of: userID, in: conversationID)
        }
        return ProfileKeeper.newest(of: rows)?.profile.counting
    }

    /// A user with what they say of themselves.
    /// - Throws: `EarshotError` `unknownUser`, `storeDamaged`, `storeUnavailable`.
    public func descriptor(of userID: UserID) async throws(EarshotError) -> UserDescriptor {
        guard let user = await user(userID) else {
            throw EarshotError(.unknownUser, "nobody with the key \(userID.fingerprint) is known")
        }
        return UserDescriptor(user: user, profile: try await profile(of: userID))
    }

    /// What this node's user says of themselves, here or on another of their devices; `nil` if nothing.
    /// `Event.profileUpdated` says that it changed.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func ownProfile() async throws(EarshotError) -> Profile? { try await node.profiles.own()?.profile }

    /// Says something else of this node's user. Everybody to whom they have written learns it, and everybody to whom they
    /// write later. It returns when it is on this node's disk.
    /// - Throws: `EarshotError` `invalidProfile` for one over a limit, with the part in `parameters.name`, and for
    ///   attributes that are no JSON object; `storeFull`, `storeUnavailable`, `stopped`.
    public func updateOwn(_ profile: Profile) async throws(EarshotError) {
        if let excess = profile.excess {
            throw EarshotError(
                .invalidProfile, "the part \(excess.field.rawValue) of a profile goes past \(excess.limit)",
                .init(name: excess.field.rawValue, limit: excess.limit))
        }
        guard ProgramAttributes.isValid(profile.attributes) else {
            throw EarshotError(
                .invalidProfile, "the attributes are no JSON object",
                .init(name: Profile.Field.attributes.rawValue))
        }
        try await node.profiles.set(profile)
    }
}
