import Earshot
import EarshotGateway

/// Finds a user by name.
struct UserLookup {
    let session: Session

    static let patience = Duration.seconds(5)

    /// The notes of this node's own user to themselves, if the text names that user.
    /// - Throws: `GatewayError` `ambiguousUser` if somebody else has the name, too.
    func oneself(_ text: String) async throws -> NamedConversation? {
        guard [Earshot.Users.ownWord, session.own.name, session.own.id].contains(text) else { return nil }
        _ = try await session.client.conversation(text)
        return NamedConversation(id: Earshot.Users.ownWord, shown: "yourself", isOfMany: false, isOneself: true)
    }

    /// The key of a user who was never met, if that is what the text is.
    func stranger(_ text: String) async throws -> String? {
        guard UserID(text) != nil else { return nil }
        do throws(GatewayError) {
            _ = try await session.client.user(named: text)
            return nil
        } catch {
            guard error.code == .unknownUser else { throw error }
            return text
        }
    }

    /// The user to write to. If the node has just started, discovery gets some time.
    /// - Throws: `Failure` or `GatewayError` `unknownUser`, `ambiguousUser`, `blocked` or `identityConflict`.
    func recipient(_ name: String) async throws -> (user: GatewayUser, names: NameBook) {
        let user = try await awaited(name)
        let names = try await session.names()
        try names.checkMayWrite(to: user)
        return (user, names)
    }

    /// A user whom the node has met before.
    /// - Throws: `Failure` or `GatewayError` `unknownUser` or `ambiguousUser`.
    func known(_ name: String, _ names: NameBook) async throws -> GatewayUser {
        if let failure = names.oneself(name) { throw failure }
        do throws(GatewayError) { return try await session.client.user(named: name) } catch {
            throw error.code == .ambiguousUser ? clarified(error, name, names) : error
        }
    }

    /// The conversation with a user whom the node has met, or to whose key something was written; or one of many.
    /// - Throws: `Failure` or `GatewayError` `unknownUser`, `ambiguousUser`, `unknownConversation` or `notJoined`.
    func conversation(_ name: String, _ names: NameBook) async throws -> NamedConversation {
        if name.hasPrefix("#") { return NamedConversation(try await session.client.conversation(name), names) }
        if let own = try await oneself(name) { return own }
        if UserID(name) != nil {
            do throws(GatewayError) {
                return NamedConversation(try await session.client.conversation(name), names)
            } catch {
                guard error.code == .unknownConversation else { throw error }
            }
        }
        let user = try await known(name, names)
        return NamedConversation(id: user.id, shown: names.shown(user), isOfMany: false)
    }

    private func awaited(_ name: String) async throws -> GatewayUser {
        // A node that has run for a while has discovered whoever is there.
        guard session.isShortLived else { return try await found(name) }
        return try await session.client.withEvents([.userDiscovered, .userUpdated]) { events in
            do throws(GatewayError) { return try await session.client.user(named: name) } catch {
                guard error.code == .unknownUser else { return try await found(name) }
                guard let user = try await within(Self.patience, { try await first(name, in: events) }) ?? nil else {
                    throw error
                }
                return user
            }
        }
    }

    private func found(_ name: String) async throws -> GatewayUser {
        do throws(GatewayError) { return try await session.client.user(named: name) } catch {
            throw error.code == .ambiguousUser ? clarified(error, name, try await session.names()) : error
        }
    }

    private func first(_ name: String, in events: GatewayEvents) async throws -> GatewayUser? {
        for try await _ in events {
            do throws(GatewayError) { return try await session.client.user(named: name) } catch {
                guard error.code == .unknownUser else { throw error }
            }
        }
        return nil
    }

    /// The node's message does not consider how a shell reads the name.
    private func clarified(_ error: GatewayError, _ name: String, _ names: NameBook) -> any Error {
        let namesakes = names.users(called: name)
        return namesakes.count > 1 ? names.ambiguity(of: name, among: namesakes) : error
    }
}
