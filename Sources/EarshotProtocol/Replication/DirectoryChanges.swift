import EarshotModel

/// What changed among the users and devices that this node knows, and waits to be written; and the events that may be told
/// when it is.
///
/// It decides which changes cancel each other and which events become one. Who is known, it does not decide.
struct DirectoryChanges: Sendable {
    private var users: [UserID: UserRecord] = [:]
    private var forgottenUsers: [UserID] = []
    private var devices: [DeviceID: DeviceRecord] = [:]
    private var forgottenDevices: Set<DeviceID> = []
    private var events: [Event] = []

    /// Events wait for a change: alone they are no work.
    var isEmpty: Bool { users.isEmpty && forgottenUsers.isEmpty && devices.isEmpty && forgottenDevices.isEmpty }

    /// How many users and devices are to be written.
    var count: Int { users.count + devices.count }

    var eventCount: Int { events.count }

    mutating func write(_ user: UserRecord) { users[user.userID] = user }

    mutating func write(_ device: DeviceRecord) {
        devices[device.deviceID] = device
        forgottenDevices.remove(device.deviceID)
    }

    /// - Parameter isUntold: whether nothing is told of a user who is forgotten before it could be written that they were
    ///   met. So it is while the disk fails.
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

    /// An event to post when its user is written.
    /// - Parameter isMerged: whether it becomes one with an earlier one about the same user. So it is while the disk
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

    /// Moves all of it into a commit.
    mutating func move(into next: inout CommitInFlight) {
        next.commit.users = users.values.sorted { $0.userID < $1.userID }
        next.commit.forgottenUsers = forgottenUsers
        next.commit.forgottenDevices = forgottenDevices.sorted()
        next.commit.devices = devices.values.sorted { $0.deviceID < $1.deviceID }
        next.userEvents = events
        self = DirectoryChanges()
    }

    /// Nothing of a commit is on the disk: what it held is tried again, but for what was changed since.
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
        let all = failed.userEvents + events
        events = []
        for event in all { tell(event, isMerged: true) }
    }
}

extension Event {
    /// The user whom this is about, if it is about one who was met.
    fileprivate var met: User? {
        switch self {
        case .userDiscovered(let user), .userUpdated(let user, _): user
        default: nil
        }
    }
}
