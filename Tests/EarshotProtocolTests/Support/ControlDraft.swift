import EarshotModel

@testable import EarshotProtocol

/// A branch of a control log that a test writes. A copy that is written differently is another branch.
struct ControlDraft {
    let description: LogDescription
    let authorID: UserID
    let isPrimary: Bool
    private(set) var records: [ControlRecord] = []
    private var time: Int64 = 0

    static let conversationID = ConversationID(words(1000))

    /// - Parameter rank: of several logs, the one with the lowest has the lowest id.
    init(_ device: TestDevice, rank: UInt64, at time: Int64 = 0) {
        description = LogDescription(
            logID: LogID(words(rank, 1)), conversationID: Self.conversationID, deviceID: device.deviceID, epoch: rank)
        authorID = device.userID
        isPrimary = device.isPrimary
        self.time = time
    }

    /// The log that founds the conversation.
    static func founding(
        _ device: TestDevice, rank: UInt64 = 1, givesHistory: Bool = false, as conversationID: ConversationID? = nil
    ) -> ControlDraft {
        var draft = ControlDraft(device, rank: rank)
        draft.write(
            .created(
                Creation(
                    conversationID: conversationID ?? Self.conversationID, uniqueName: "ops",
                    attributes: ConversationAttributes(friendlyName: "Operations"), givesHistory: givesHistory)))
        return draft
    }

    var log: ControlLog {
        ControlLog(description: description, authorID: authorID, isPrimary: isPrimary, branches: [records])
    }

    var end: LogPlace { records[records.count - 1].place }
    var deviceID: DeviceID { description.deviceID }
    var term: UInt64 { log.begin?.term ?? 1 }

    @discardableResult
    mutating func write(_ entry: ControlEntry, at milliseconds: Int64? = nil) -> LogPlace {
        time = milliseconds ?? time + 1
        let timestamp = HybridTimestamp(milliseconds: time)
        let before = records.last?.place.chain ?? ChainHash(description.logID.bytes32)
        let place = LogPlace(
            logID: description.logID, sequence: UInt64(records.count + 1), chain: before.following("\(entry) \(time)"))
        records.append(ControlRecord(place: place, timestamp: timestamp, entry: entry))
        return place
    }

    @discardableResult
    mutating func add(_ user: TestUser, returnsAfter: LogPlace? = nil) -> LogPlace {
        write(.add(user.userID, returnsAfter: returnsAfter))
    }

    @discardableResult
    mutating func remove(_ user: TestUser, cuts: [LogPlace] = [], reason: RemovalReason = .removed) -> LogPlace {
        write(.remove(user.userID, cuts: cuts, reason: reason))
    }

    @discardableResult
    mutating func update(_ name: String, counter: UInt64) -> LogPlace {
        write(.update(ConversationAttributes(friendlyName: name, counter: counter)))
    }

    /// What an old copy of the device holds.
    func copy(upTo place: LogPlace) -> ControlDraft {
        var copy = self
        copy.records.removeLast(records.count - Int(place.sequence))
        return copy
    }

    /// A log that follows this one.
    /// - Parameter place: the entry behind which it goes on, if that is not the last one.
    func followed(
        by device: TestDevice, rank: UInt64, _ cause: ControlBegin.Cause, behind place: LogPlace? = nil,
        heads: [LogPlace] = []
    ) -> ControlDraft {
        var next = ControlDraft(device, rank: rank, at: time)
        next.write(.begin(ControlBegin(term: term + 1, follows: place ?? end, heads: heads, cause: cause)))
        return next
    }
}

extension ControlBegin.Cause {
    /// A takeover that says who is in beside the owner.
    static func takeover(_ members: [(TestUser, LogPlace)], named name: String = "Operations") -> Self {
        .takeover(
            RestatedConversation(
                uniqueName: "ops", attributes: ConversationAttributes(friendlyName: name),
                members: members.map { RestatedConversation.Member(userID: $0.userID, added: $1) }))
    }
}

extension Membership {
    init(_ drafts: ControlDraft..., revocations: [DeviceID: Set<LogPlace>] = [:]) throws {
        let logs = drafts.map(\.log)
        guard
            let membership = Membership(
                conversationID: ControlDraft.conversationID, logs: logs, revocations: revocations)
        else { throw NotFounded() }
        self = membership
    }

    struct NotFounded: Error {}

    func has(_ user: TestUser) -> Bool { participants.contains { $0.userID == user.userID } }
    func status(of user: TestUser) -> Participant.Status? { status(of: user.userID) }
}

/// A user of tests about membership, with a device that holds the identity key and one that does not.
struct TestUser: Hashable {
    let number: UInt64

    var userID: UserID { UserID(words(number)) }
    var primary: TestDevice { TestDevice(user: self, number: 0, isPrimary: true) }
    var secondPrimary: TestDevice { TestDevice(user: self, number: 1, isPrimary: true) }
    var linked: TestDevice { TestDevice(user: self, number: 2, isPrimary: false) }
    var secondLinked: TestDevice { TestDevice(user: self, number: 3, isPrimary: false) }

    static let alice = TestUser(number: 1)
    static let bob = TestUser(number: 2)
    static let carol = TestUser(number: 3)
    static let dave = TestUser(number: 4)
    static let erin = TestUser(number: 5)
}

struct TestDevice: Hashable {
    let user: TestUser
    let number: UInt64
    let isPrimary: Bool

    var userID: UserID { user.userID }
    var deviceID: DeviceID { DeviceID(words(user.number, number)) }
}

/// The place of a message that nobody has to prove.
func messagePlace(_ user: TestUser, log: UInt64 = 0, _ sequence: UInt64) -> LogPlace {
    let logID = messageLog(user, log)
    return LogPlace(logID: logID, sequence: sequence, chain: ChainHash(logID.bytes32).following("\(sequence)"))
}

func messageLog(_ user: TestUser, _ number: UInt64 = 0) -> LogID { LogID(words(user.number, number + 100)) }

func words(_ values: UInt64...) -> Bytes32 {
    var bytes: [UInt8] = []
    for index in 0..<4 {
        withUnsafeBytes(of: (index < values.count ? values[index] : 0).bigEndian) { bytes.append(contentsOf: $0) }
    }
    guard let value = Bytes32(bytes) else { preconditionFailure("four words are 32 bytes") }
    return value
}

extension ChainHash {
    /// Not a hash that anybody could trust, but one that differs and is always the same.
    fileprivate func following(_ text: String) -> ChainHash {
        var word: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes + Array(text.utf8) { word = (word ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return ChainHash(words(word, word &* 0x9e37_79b9_7f4a_7c15))
    }
}
