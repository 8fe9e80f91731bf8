import EarshotModel

/// Changes of the users and devices that this node knows which wait to be written, and the events to post after that.
///
/// It decides which changes cancel each other and which events become one. It does not decide who is known.
struct DirectoryChanges: Sendable {
    private var users: [UserID: UserRecord] = [:]
    private var forgottenUsers: [UserID] = []
    private var devices: [DeviceID: DeviceRecord] = [:]
    private var forgottenDevices: Set<DeviceID> = []
    /// Devices of this node's own user; `nil` for one that is forgotten.
    private var ownDevices: [DeviceID: OwnDeviceRecord?] = [:]
    private var revocations: [Revocation] = []
    /// What this device says about that in its own logs.
    private var statements: [PendingSend] = []
    private var events: [Event] = []

    /// Events wait for a change: without one there is no work.
    var isEmpty: Bool {
        users.isEmpty && forgottenUsers.isEmpty && devices.isEmpty && forgottenDevices.isEmpty && ownDevices.isEmpty
            && revocations.isEmpty && statements.isEmpty
    }

    /// How many users and devices wait to be written.
    var count: Int { users.count + devices.count }

    var eventCount: Int { events.count }

    mutating func write(_ user: UserRecord) { users[user.userID] = user }

    mutating func write(_ device: DeviceRecord) {
        devices[device.deviceID] = device
        forgottenDevices.remove(device.deviceID)
    }

    /// - Parameter isUntold: whether to report nothing about a user who is forgotten before they were written. So it is
    ///   while the disk fails.
    mutating func forget(_ userID: UserID, isUntold: Bool) {
        users[userID] = nil
        devices = devices.filter { $0.value.userID != userID }
        if isUntold { events.removeAll { $0.met?.userID == userID } }
        forgottenUsers.append(userID)
    }

    mutating func forget(_ deviceID: DeviceID) {
        devices[deviceID] = nil
        forgottenDevices.insert(deviceID)
    }

    mutating func write(_ device: OwnDeviceRecord) { ownDevices[device.deviceID] = device }

    mutating func forgetOwn(_ deviceID: DeviceID) { ownDevices[deviceID] = .some(nil) }

    mutating func write(_ revocation: Revocation) { revocations.append(revocation) }

    /// Entries that stand in the same commit as the change.
    mutating func write(_ statement: PendingSend) { statements.append(statement) }

    /// Whether it has this device say something in some conversations.
    func goes(to conversationIDs: Set<ConversationID>) -> Bool {
        !conversationIDs.isEmpty && statements.contains { $0.goes(to: conversationIDs.contains) }
    }

    /// An event to post when its user is written.
    /// - Parameter isMerged: whether to merge it with an earlier event about the same user. So it is while the disk
    ///   fails, however long that takes and however often the user comes and goes.
    mutating func tell(_ event: Event, isMerged: Bool) {
        guard isMerged, case .userUpdated(let user, let changes) = event,
            let place = events.firstIndex(where: { $0.met?.userID == user.userID })
        else {
            events.append(event)
            return
        }
        if case .userUpdated(_, let earlier) = events[place] {
            events[place] = .userUpdated(user, changes: earlier.union(changes))
        } else {
            events[place] = .userDiscovered(user)
        }
    }

    /// Moves everything into a commit.
    mutating func move(into next: inout CommitInFlight) {
        guard !isEmpty || !events.isEmpty else { return }
        next.commit.users = users.values.sorted { $0.userID < $1.userID }
        next.commit.forgottenUsers = forgottenUsers
        next.commit.forgottenDevices = forgottenDevices.sorted()
        next.commit.devices = devices.values.sorted { $0.deviceID < $1.deviceID }
        next.commit.ownDevices = ownDevices.values.compactMap(\.self).sorted { $0.deviceID < $1.deviceID }
        next.commit.forgottenOwnDevices = ownDevices.filter { $0.value == nil }.keys.sorted()
        next.commit.revocations = revocations
        next.statements = statements
        next.userEvents = events
        for event in events { if let record = JournalRecord(event) { next.commit.journal.add(record) } }
        self = DirectoryChanges()
    }

    /// Nothing of a commit is on the disk: its changes are tried again, except those that are outdated.
    mutating func takeBack(_ failed: CommitInFlight, directory: UserDirectory) {
        for user in failed.commit.users where users[user.userID] == nil && directory.users[user.userID] != nil {
            users[user.userID] = user
        }
        for device in failed.commit.devices
        where devices[device.deviceID] == nil && directory.devices[device.deviceID] != nil {
            devices[device.deviceID] = device
        }
        forgottenDevices.formUnion(failed.commit.forgottenDevices.filter { directory.devices[$0] == nil })
        forgottenUsers += failed.commit.forgottenUsers.filter { directory.users[$0] == nil }
        for device in failed.commit.ownDevices where ownDevices[device.deviceID] == nil {
            ownDevices[device.deviceID] = device
        }
        for deviceID in failed.commit.forgottenOwnDevices where ownDevices[deviceID] == nil { forgetOwn(deviceID) }
        revocations = failed.commit.revocations + revocations
        statements = failed.statements + statements
        let all = failed.userEvents + events
        events = []
        for event in all { tell(event, isMerged: true) }
    }
}

extension JournalRecord {
    /// - Returns: `nil` for an event that the journal does not keep.
    fileprivate init?(_ event: Event) {
        switch event {
        case .userDiscovered(let user): self = .user(user.userID, .discovered)
        case .userUpdated(let user, let changes): self = .user(user.userID, .updated(changes))
        default: return nil
        }
    }
}

extension Event {
    /// The user who was met, if the event is about that.
    fileprivate var met: User? {
        switch self {
        case .userDiscovered(let user), .userUpdated(let user, _): user
        default: nil
        }
    }
}
