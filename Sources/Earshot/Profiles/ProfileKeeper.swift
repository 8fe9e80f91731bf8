import EarshotProtocol
import EarshotStore
import Logging

/// Tells everybody to whom this node's user writes what the user says of themselves.
///
/// All devices of a user say the same: what another one has said counts here. A contact who has the profile is told
/// nothing, so each is told once.
struct ProfileKeeper: Sendable {
    let node: Node

    /// What this node's user says of themselves on whichever of their devices; `nil` if nothing.
    func own() async throws(EarshotError) -> ProfileEntry? {
        let (store, userID) = (node.store, node.userID)
        let (bytes, rows) = try await node.readStore { () throws(StoreError) in
            (try store.ownProfile(), try store.profiles(of: userID, in: nil))
        }
        // What this device has not told anybody yet may be newer than what stands in logs.
        guard let bytes else { return Self.newest(of: rows) }
        guard let content = Self.content(bytes), case .profile(let entry) = content else {
            throw EarshotError(.storeDamaged, "the own profile cannot be read")
        }
        guard let told = Self.newest(of: rows), told.counter > entry.counter else { return entry }
        return told
    }

    /// The profile that counts among those in a user's logs.
    static func newest(of rows: [ProfileRow]) -> ProfileEntry? {
        rows.compactMap { row -> (stamp: ProfileStamp, entry: ProfileEntry)? in
            guard case .body(let bytes) = row.entry.content, case .profile(let entry) = content(bytes) else {
                return nil
            }
            return (entry.stamp(at: row.entry.timestamp, in: row.logID), entry)
        }.max { $0.stamp < $1.stamp }?.entry
    }

    /// - Returns: `nil` for a body that this version cannot read: it is as good as none.
    private static func content(_ bytes: [UInt8]) -> EntryBody.Content? {
        do { return try EntryBody(decoding: bytes).content } catch { return nil }
    }

    func set(_ profile: Profile) async throws(EarshotError) {
        let known = try await own()
        guard known?.profile != profile else { return }
        let now = max(node.environment.clock.now.wallClock, 0)
        let body = EntryBody(
            timestamp: HybridTimestamp(milliseconds: now), expiry: .max,
            content: .profile(ProfileEntry(profile, counter: max((known?.counter ?? 0).nextCounter, UInt64(now)))))
        let store = node.store
        try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { try store.setOwnProfile(body.encoded()) } catch { throw EarshotError(error) }
        }
        node.events.post(.profileUpdated)
    }

    /// Runs until the task is cancelled. While its user says nothing of themselves, a node does nothing here.
    func run() async {
        // From before the first look, so that nobody is left out.
        let changes = node.events.events(.named([.profileUpdated]))
        if await isSilent {
            do throws(EarshotError) { _ = try await changes.first { _ in true } } catch { return note(error) }
        }
        let told = Told()
        let queued = node.events.events(.named([.messageQueued]))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(EarshotError) {
                    for try await event in queued { await tell(after: event, told) }
                } catch { note(error) }
            }
            group.addTask {
                await tellAll(told)
                do throws(EarshotError) {
                    for try await _ in changes {
                        await told.forgetAll()
                        await tellAll(told)
                    }
                } catch { note(error) }
            }
        }
    }

    private func tell(after event: Event, _ told: Told) async {
        guard case .messageQueued(let message) = event else {
            // Some were lost: their recipients are among those whom this user has written to.
            return await tellAll(told)
        }
        await tell(message.recipientIDs.filter { message.conversationID == .direct(node.userID, $0) }, told)
    }

    private var isSilent: Bool {
        get async {
            do { return try await own() == nil } catch {
                note(error)
                return true
            }
        }
    }

    /// Who needs no look any more, in this run of the node.
    private actor Told {
        private var users: Set<UserID> = []

        /// - Returns: whether the user was not told yet.
        func begin(_ userID: UserID) -> Bool { users.insert(userID).inserted }
        func forget(_ userID: UserID) { users.remove(userID) }
        func forgetAll() { users.removeAll() }
    }

    private func tellAll(_ told: Told) async {
        let (store, userID) = (node.store, node.userID)
        do {
            await tell(try await node.readStore { () throws(StoreError) in try store.contacts(of: userID) }, told)
        } catch { note(error) }
    }

    private func tell(_ userIDs: [UserID], _ told: Told) async {
        for userID in userIDs where await told.begin(userID) {
            do { try await tell(userID) } catch {
                // Somebody who gets no messages now is told when they get one again.
                await told.forget(userID)
                note(error)
            }
        }
    }

    private func tell(_ userID: UserID) async throws(EarshotError) {
        guard let own = try await own() else { return }
        let (store, ownID) = (node.store, node.userID)
        let known = try await node.readStore { () throws(StoreError) in
            try store.profiles(of: ownID, in: .direct(ownID, userID))
        }
        if let last = Self.newest(of: known), last.counter >= own.counter { return }
        try await node.shell.send(
            [.profile(own.profile, counter: own.counter)], to: userID,
            key: IdempotencyKey("earshot profile \(own.counter)"))
    }

    private func note(_ error: EarshotError) {
        node.configuration.logger.debug("a profile was not told", metadata: ["error": "\(error)"])
    }
}
