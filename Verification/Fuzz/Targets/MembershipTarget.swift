import EarshotModel

@testable import EarshotProtocol

/// Who belongs to a private conversation, whatever devices of all its users say: the same for everybody who holds the same
/// entries, with one owner.
let membership = FuzzTarget("membership", maximumBytes: 1024) { input in
    var script = HostileControlLogs()
    while !input.isEmpty { script.write(&input) }
    let logs = script.logs(reversed: false)
    guard let membership = Membership(conversationID: script.conversationID, logs: logs) else { return }
    let owners = membership.participants.filter { $0.role == .owner }
    require(owners.map(\.userID) == [membership.ownerID], "there is one owner")
    require(membership.participants.count <= Limits.participants, "no more belong to it than may")
    require(membership.term <= Limits.controlTerms, "no more logs follow each other than may")
    for place in script.places {
        guard let state = membership.state(at: place) else { continue }
        require(state.isIn(state.ownerID), "the owner is in at every version")
    }
    let users = Set(membership.participants.map(\.userID))
    for user in HostileControlLogs.users where !users.contains(user.userID) {
        require(!script.places.contains { membership.isOwed(user.userID, at: $0) }, "who is out is owed nothing")
    }
    let reversed = script.logs(reversed: true)
    require(
        Membership(conversationID: script.conversationID, logs: reversed) == membership,
        "the order in which logs and their branches come changes nothing")
    var taken: Membership?
    var waiting: [ControlLog] = []
    for log in reversed {
        if taken == nil {
            waiting.append(log)
            taken = Membership(conversationID: script.conversationID, logs: waiting)
        } else {
            taken?.insert(log)
        }
    }
    require(taken == membership, "what comes later counts as what was there")
}

/// What devices write into the control logs of one conversation, each as the input says.
struct HostileControlLogs {
    static let users = [Cast.alice, Cast.mallory, Cast.carol, Cast.thief]
    private static let devices = users + [Cast.stolen]

    let conversationID: ConversationID
    private var records: [LogDescription: [[ControlRecord]]] = [:]
    private var known = FuzzInput.Known()
    private var count: Int64 = 0

    init() {
        let origin = ConversationOrigin(
            creatorID: Cast.mallory.userID, salt: [UInt8](repeating: 7, count: ConversationOrigin.saltBytes))
        conversationID = .private(origin)
        known.ids = Self.users.map(\.userID.bytes32) + Self.devices.map(\.deviceID.bytes32)
        append(
            .created(
                Creation(
                    conversationID: conversationID, uniqueName: "ops",
                    attributes: ConversationAttributes(friendlyName: "Operations"),
                    givesHistory: false)),
            to: description(of: Cast.mallory, epoch: 1), branch: 0)
    }

    var places: [LogPlace] { known.places }

    func logs(reversed isReversed: Bool) -> [ControlLog] {
        let logs = records.map { description, branches in
            let device = Self.devices.first { $0.deviceID == description.deviceID } ?? Cast.mallory
            return ControlLog(
                description: description, authorID: device.userID,
                isPrimary: device.link.credential.isPrimary || device.userID == Cast.mallory.userID,
                branches: isReversed ? branches.reversed() : branches)
        }.sorted { $0.logID < $1.logID }
        return isReversed ? logs.reversed() : logs
    }

    private func description(of device: LocalDevice, epoch: UInt64) -> LogDescription {
        LogDescription(conversationID: conversationID, deviceID: device.deviceID, epoch: epoch, kind: .control)
    }

    mutating func write(_ input: inout FuzzInput) {
        let device = Self.devices[input.choice(Self.devices.count)]
        let description = description(of: device, epoch: UInt64(input.choice(3)) + 1)
        input.known = known
        var body = Wire.EntryBody()
        body.timestamp = 1
        body.content = membershipContent(&input)
        guard let decoded = try? EntryBody(decoding: Wire.encode(body)), case .control(let control) = decoded.content
        else { return }
        let branches = records[description, default: []].count
        var branch = input.choice(max(1, branches))
        if input.choice(8) == 0, branches > 0, branches < 4 {
            // An old copy of the device writes on.
            let copied = records[description, default: []][branch]
            records[description]?.append(Array(copied.prefix(input.choice(copied.count) + 1)))
            branch = branches
        }
        append(control.entry, to: description, branch: branch)
    }

    private mutating func append(_ entry: ControlEntry, to description: LogDescription, branch: Int) {
        if records[description, default: []].isEmpty { records[description] = [[]] }
        let before = records[description]?[branch].last?.place
        count += 1
        let sequence = (before?.sequence ?? 0) + 1
        let chain = (before?.chain ?? .origin(of: description.logID))
            .appending(EntryContent.body([UInt8](withUnsafeBytes(of: count) { Array($0) })).hash)
        let place = LogPlace(logID: description.logID, sequence: sequence, chain: chain)
        records[description]?[branch].append(
            ControlRecord(place: place, timestamp: HybridTimestamp(milliseconds: 1000 + count), entry: entry))
        // A choice is one of 256.
        if known.places.count < 200 { known.places.append(place) }
    }
}

/// What a control log may say, and what a log of messages says about one.
func membershipContent(_ input: inout FuzzInput) -> Wire.EntryBody.Content {
    switch input.choice(12) {
    case 0: return .version(Wire.Version(control: place(&input)))
    case 1: return .join(Wire.Answer(add: place(&input)))
    case 2: return .leave(Wire.Answer(add: place(&input)))
    case 3:
        var created = Wire.Created()
        created.creatorID = identifier(&input)
        created.salt = [UInt8](repeating: 7, count: input.choice(8) > 0 ? ConversationOrigin.saltBytes : 3)
        created.uniqueName = input.text()
        created.attributes = attributes(&input)
        created.givesHistory = input.flag()
        if input.choice(4) == 0 { created.continues = identifier(&input) }
        if input.choice(4) == 0 { created.proof = [UInt8](repeating: 1, count: 64) }
        return .control(.created(created))
    case 4, 5, 6:
        return .control(.add(Wire.Add(userID: identifier(&input), returnsAfter: input.flag() ? place(&input) : nil)))
    case 7:
        var remove = Wire.Remove()
        remove.userID = identifier(&input)
        remove.cuts = (0..<input.choice(4)).compactMap { _ in place(&input) }
        remove.reason = UInt32(input.choice(3))
        return .control(.remove(remove))
    case 8: return .control(.update(Wire.Update(attributes: attributes(&input))))
    case 9:
        guard input.flag() else { return .control(.pass(Wire.Pass(deviceID: identifier(&input)))) }
        return .control(.handOver(Wire.HandOver(userID: identifier(&input))))
    case 10: return .control(input.choice(8) == 0 ? .closed(Wire.Empty()) : .add(Wire.Add(userID: identifier(&input))))
    default:
        var begin = Wire.Begin()
        begin.term = input.flag() ? UInt64(input.choice(8)) : input.number(near: 2)
        begin.follows = place(&input)
        begin.cause = UInt32(input.choice(5))
        begin.heads = (0..<input.choice(4)).compactMap { _ in place(&input) }
        if input.flag() {
            var state = Wire.State()
            state.uniqueName = input.flag() ? "ops" : input.text()
            state.attributes = attributes(&input)
            state.members = (0..<input.choice(4)).map { _ in
                Wire.Member(userID: identifier(&input), added: place(&input))
            }
            begin.state = state
        }
        if input.choice(4) == 0 { begin.proof = [UInt8](repeating: 1, count: 64) }
        return .control(.begin(begin))
    }
}

private func attributes(_ input: inout FuzzInput) -> Wire.Attributes {
    var attributes = Wire.Attributes()
    (attributes.friendlyName, attributes.custom, attributes.counter) = (input.text(), input.text(), input.number())
    return attributes
}
