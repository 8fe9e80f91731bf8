import EarshotCrypto
import EarshotStore
import Foundation
import Logging
import NIOCore
import Synchronization

/// A node's tokens: what lets a program use the node over the local API.
///
/// A token is `earshot_ID_SECRET`. The node keeps the id and a hash of the secret, which is as long as a key and drawn at
/// random; so nobody who reads the database can make the token from it, and no slower hash is needed.
///
/// Run it beside what looks tokens up: it writes down when they were last used.
package final class TokenBook: Sendable {
    private struct State {
        var tokens: [String: TokenRecord] = [:]
        /// Used since that was last written down.
        var used: Set<String> = []
        /// Refused already, while the disk may still have them.
        var revoked: Set<String> = []
        var watches: [String: [UInt64: @Sendable () -> Void]] = [:]
        var nextWatch: UInt64 = 0

        func isValid(_ token: TokenRecord, at now: Int64) -> Bool {
            now < token.expiresAt ?? .max && !revoked.contains(token.tokenID)
        }
    }

    /// How many tokens a node has.
    package static let limit = 1024
    /// In bytes; also of its name.
    private static let idBytes = 10
    private static let nameLength = 64
    /// How often uses are written down.
    private static let interval = Duration.seconds(60)

    private let node: Node
    /// Hides the keys of sessions on the disk.
    private let sessionSecret: [UInt8]
    private let state: Mutex<State>
    private let uses: AsyncStream<Void>
    private let use: AsyncStream<Void>.Continuation

    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    package init(node: Node) async throws(EarshotError) {
        self.node = node
        sessionSecret = node.keeper.secret(for: "earshot page sessions 1")
        let store = node.store
        let records = try await node.readStore { () throws(StoreError) in try store.tokens() }
        state = Mutex(State(tokens: Dictionary(uniqueKeysWithValues: records.map { ($0.tokenID, $0) })))
        (uses, use) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Writes down when tokens were used, at most once a minute, until the task is cancelled.
    package func run() async {
        for await _ in uses {
            await writeUses()
            do { try await Task.sleep(for: Self.interval) } catch { break }
        }
        await writeUses()
    }

    /// In the order in which they were made.
    package var all: [TokenRecord] {
        state.withLock(\.tokens).values.sorted { ($0.createdAt, $0.tokenID) < ($1.createdAt, $1.tokenID) }
    }

    /// Makes a token. Those that have expired make room for it, and their names are free.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, and `-_.`.
    ///   - scopes: what it is good for, in the local API's words.
    ///   - recipients: the only users and conversations to which it may send; `nil` for all.
    ///   - lifetime: how long it works; `nil` for as long as nobody revokes it.
    /// - Returns: the token, and the text to be shown, which nobody can get again.
    /// - Throws: `EarshotError` `invalidName`, `tokenExists`, `tooManyTokens`; `storeFull`,
    ///   `storeUnavailable`, `stopped`.
    package func create(
        _ name: String, scopes: [String], recipients: Set<Destination>?, lifetime: Duration?
    ) async throws(EarshotError) -> (token: TokenRecord, text: String) {
        guard PlainName.isValid(name, limit: Self.nameLength) else {
            throw EarshotError(
                .invalidName, "a token's name is 1 to \(Self.nameLength) letters, digits, and any of -_.",
                .init(name: Excerpt.of(name), limit: Self.nameLength))
        }
        try await makeRoom()
        let (tokenID, secret, now) = (Self.randomText(Self.idBytes), Self.randomText(Bytes32.count), now)
        let token = TokenRecord(
            tokenID: tokenID, name: name, hash: Self.hash(secret), scopes: scopes, recipients: recipients,
            createdAt: now, expiresAt: lifetime.map { now + $0.milliseconds })
        try await add(token)
        return (token, "\(Self.prefix)_\(tokenID)_\(secret)")
    }

    private func makeRoom() async throws(EarshotError) {
        for expired in all where expired.expiresAt ?? .max <= now { try await remove(expired) }
        guard all.count < Self.limit else {
            throw EarshotError(
                .tooManyTokens, "a node has at most \(Self.limit) tokens; revoke one that is not needed",
                .init(limit: Self.limit))
        }
    }

    private func add(_ token: TokenRecord) async throws(EarshotError) {
        guard try await write({ store throws(StoreError) in try store.add(token) }) else {
            throw EarshotError(.tokenExists, "there is a token called \(token.name) already", .init(name: token.name))
        }
        state.withLock { $0.tokens[token.tokenID] = token }
    }

    // MARK: - Sessions of the page

    /// The scope of a session, which no token has.
    package static let sessionScope = "page"

    /// Makes a session of the page, whose key is never shown: a tab proves that it has it.
    ///
    /// The database has the key only as the device's own secret hides it: who reads the database, or a copy, cannot use it.
    /// - Parameters:
    ///   - key: 32 bytes, of a session with the given id.
    ///   - lifetime: how long it works.
    /// - Throws: as `create`.
    package func createSession(
        _ name: String, lifetime: Duration, key: @Sendable (_ tokenID: String) -> [UInt8]
    ) async throws(EarshotError) -> TokenRecord {
        try await makeRoom()
        let (tokenID, now) = (Self.randomText(Self.idBytes), now)
        let session = TokenRecord(
            tokenID: tokenID, name: name, hash: hidden(key(tokenID), of: tokenID), scopes: [Self.sessionScope],
            recipients: nil, createdAt: now, expiresAt: now + lifetime.milliseconds)
        try await add(session)
        return session
    }

    /// Finds a session, and notes that it was used.
    /// - Parameter isProved: whether somebody has proved that they have its key.
    /// - Returns: `nil` for none of this node's, for one that has ended, and for one that is not proved.
    package func session(_ tokenID: String, isProved: (_ key: [UInt8]) -> Bool) -> TokenRecord? {
        token(tokenID) { $0.scopes == [Self.sessionScope] && isProved(hidden($0.hash.bytes, of: tokenID).bytes) }
    }

    /// The key as the database has it, or the other way round.
    private func hidden(_ key: [UInt8], of tokenID: String) -> Bytes32 {
        let mask = HMAC.sha256(of: Array(tokenID.utf8), key: sessionSecret)
        return zip(key, mask).map { $0 ^ $1 }.withUnsafeBytes { Bytes32(exactly: $0) }
    }

    /// Ends a token at once, and what is held with it.
    /// - Parameter text: its name or its id.
    /// - Returns: the token as it was.
    /// - Throws: `EarshotError` `unknownToken`; `storeFull`, `storeUnavailable`, `stopped`: then the token is refused only
    ///   for as long as the node runs, and can be revoked again.
    package func revoke(_ text: String) async throws(EarshotError) -> TokenRecord {
        guard let token = all.first(where: { $0.name == text || $0.tokenID == text }) else {
            throw EarshotError(
                .unknownToken, "there is no token called \"\(Excerpt.of(text))\"", .init(name: Excerpt.of(text)))
        }
        let watches = state.withLock { state in
            // Refused from now on, even if the disk fails.
            state.revoked.insert(token.tokenID)
            return state.watches.removeValue(forKey: token.tokenID) ?? [:]
        }
        for end in watches.values { end() }
        try await remove(token)
        return token
    }

    private func remove(_ token: TokenRecord) async throws(EarshotError) {
        _ = try await write { store throws(StoreError) in try store.removeToken(token.tokenID) }
        state.withLock { state in
            state.tokens[token.tokenID] = nil
            state.revoked.remove(token.tokenID)
        }
    }

    /// Calls `end` when a token is revoked or expires, or at once if it has.
    /// - Returns: what ends the watch.
    package func watch(
        _ tokenID: String, _ end: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let clock = node.environment.clock
        let now = clock.now
        let found = state.withLock { state -> (number: UInt64, expiresAt: Int64?)? in
            guard let token = state.tokens[tokenID], state.isValid(token, at: now.wallClock) else { return nil }
            state.nextWatch += 1
            state.watches[tokenID, default: [:]][state.nextWatch] = end
            return (state.nextWatch, token.expiresAt)
        }
        guard let found else {
            end()
            return {}
        }
        let timer = found.expiresAt.map {
            clock.schedule(
                at: now.uptime + ($0 - now.wallClock), on: node.configuration.eventLoopGroup.next(), end)
        }
        return { [self] in
            timer?.cancel()
            state.withLock { state in
                state.watches[tokenID]?[found.number] = nil
                if state.watches[tokenID]?.isEmpty == true { state.watches[tokenID] = nil }
            }
        }
    }

    /// Finds the token that a program shows, and notes that it was used.
    /// - Returns: `nil` for a text that is no valid token: none of this node's, or one that was revoked or has expired.
    package func token(shownAs text: String) -> TokenRecord? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.prefix, parts[2].utf8.count <= Self.longestSecret else { return nil }
        let hash = Self.hash(String(parts[2]))
        return token(String(parts[1])) {
            $0.scopes != [Self.sessionScope] && $0.hash.isEqualInConstantTime(to: hash)
        }
    }

    private func token(_ tokenID: String, isShown: (TokenRecord) -> Bool) -> TokenRecord? {
        let now = now
        let token = state.withLock { state -> TokenRecord? in
            guard var token = state.tokens[tokenID], state.isValid(token, at: now), isShown(token) else { return nil }
            token.usedAt = now
            state.tokens[tokenID] = token
            state.used.insert(tokenID)
            return token
        }
        if token != nil { use.yield() }
        return token
    }

    private static let prefix = "earshot"
    private static let longestSecret = 128

    private var now: Int64 { node.environment.clock.now.wallClock }

    private static func randomText(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base32.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static func hash(_ secret: String) -> Bytes32 {
        var hash = Blake2b(label: "earshot token 1")
        hash.update(Array(secret.utf8))
        return hash.finalize()
    }

    private func writeUses() async {
        let times = state.withLock { state in
            defer { state.used = [] }
            return state.used.reduce(into: [:]) { $0[$1] = state.tokens[$1]?.usedAt }
        }
        guard !times.isEmpty else { return }
        do { try await write { store throws(StoreError) in try store.noteUse(of: times) } } catch {
            node.configuration.logger.info("the last use of tokens was not noted", metadata: ["error": "\(error)"])
        }
    }

    private func write<T: Sendable>(
        _ body: @escaping @Sendable (Store) throws(StoreError) -> T
    ) async throws(EarshotError) -> T {
        let store = node.store
        return try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { return try body(store) } catch { throw EarshotError(error) }
        }
    }
}

extension EarshotError.Code {
    /// The token is not good for this.
    package static let forbidden = Self("forbidden")
}
