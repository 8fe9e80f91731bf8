import EarshotModel

/// What a consumer is to be given next.
package enum HandOutPlan: Hashable, Sendable {
    /// What arrived after this place, at most so many messages.
    case after(Int64, limit: Int)
    /// This entry alone, which was set aside before.
    case again(Int64)
}

/// The named readers of the inbox: how far each has come, and what was handed out to it in vain.
///
/// It decides what a consumer is given next, and when a message is set aside. It reads no messages: cursors are places in
/// the store's order of arrival. It changes when the disk has the change.
///
/// A hand-out is in vain when the consumer says that it failed; or when it asks again without having acknowledged
/// anything, `Limits.handOutTime` or longer after the hand-out began. One that asks sooner gets the same hand-out: a second
/// reader, or a client that tries again, cannot be told from a program that ended and was started again, but the time of a
/// hand-out bounds how often either counts.
struct Consumers: Sendable {
    private struct HandOut: Sendable {
        /// Those of its messages that are not acknowledged, ascending.
        var places: [Int64]
        /// After so many hand-outs in vain a message is set aside.
        let attempts: Int
        /// When it began, in milliseconds of uptime.
        let began: Int64
        /// Whether some of it was acknowledged: then the rest was not in vain unless the consumer says so.
        var isPartlyDone = false

        /// Whether it was in vain if the consumer asks again now.
        func isInVain(now: Moment) -> Bool { !isPartlyDone && now.uptime - began >= Limits.handOutTime }
    }

    private var records: [String: ConsumerRecord]
    /// What each was given last and has not acknowledged. A process that begins anew does not know it, so its own end is
    /// held against no message.
    private var handedOut: [String: HandOut] = [:]
    /// Up to here a consumer gets one message at a time, because a batch with these was in vain.
    private var careful: [String: Int64] = [:]

    init(_ records: [ConsumerRecord] = []) {
        self.records = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0) })
    }

    /// Ascending by name.
    var all: [ConsumerRecord] { records.values.sorted { $0.name < $1.name } }

    func record(_ name: String) -> ConsumerRecord? { records[name] }

    func known(_ name: String) throws(ProtocolError) -> ConsumerRecord {
        guard let record = records[name] else {
            throw ProtocolError(.unknownConsumer, "there is no consumer \(name)")
        }
        return record
    }

    /// Checks a change that a program asks for.
    func check(_ change: ConsumerChange, of name: String) throws(ProtocolError) {
        guard case .make(let made) = change else {
            _ = try known(name)
            return
        }
        guard records[name] == nil else {
            throw ProtocolError(.consumerExists, "there is a consumer \(name) already")
        }
        guard PlainName.isValid(made.plainName, limit: Limits.consumerNameBytes) else {
            throw ProtocolError(
                .invalidConsumer,
                "a consumer's name is 1 to \(Limits.consumerNameBytes) letters, digits, \"-\", \"_\" or \".\"")
        }
        guard records.count < Limits.consumers else {
            throw ProtocolError(
                .tooManyConsumers, "a node has at most \(Limits.consumers) consumers; remove one that is not needed")
        }
        guard
            made.token == nil || made.isOfMany
                || records.values.count(where: { $0.token == made.token }) < Limits.consumersOfToken
        else {
            throw ProtocolError(
                .overloaded, "the token has \(Limits.consumersOfToken) consumers already; remove one first")
        }
    }

    // MARK: - Handing out

    /// What a consumer gets next. If it has acknowledged nothing for too long, what it got before was in vain.
    /// - Parameter attempts: after so many hand-outs in vain the message that each began with is set aside.
    /// - Returns: what is to be written first.
    func plan(
        for name: String, limit: Int, attempts: Int, now: Moment
    ) throws(ProtocolError) -> (changes: [ConsumerChange], plan: HandOutPlan) {
        var record = try known(name)
        var (changes, last) = ([ConsumerChange](), careful[name] ?? 0)
        if let given = handedOut[name], given.isInVain(now: now), let first = given.places.first {
            let count = Self.count(of: first, record)
            // Of several messages nobody knows which one is at fault.
            let isSetAside = given.places.count == 1 && Self.isSetAside(count, attempts: attempts)
            let change: ConsumerChange =
                isSetAside
                ? .setAside(first, ConsumerFailure(Self.reason(count), time: now.wallClock))
                : .countFruitless(head: first, count: count)
            record.apply(change)
            changes.append(change)
            if count >= Self.patience { last = max(last, given.places.last ?? first) }
        }
        if let again = record.again.first { return (changes, .again(again)) }
        let isCareful = record.fruitless >= min(Self.patience, attempts) || record.cursor < last
        return (changes, .after(record.cursor, limit: isCareful ? 1 : limit))
    }

    /// A consumer could do nothing with a message: the first that it has and has not acknowledged.
    /// - Returns: what is to be written.
    func fail(
        _ place: Int64, for name: String, _ failure: ConsumerFailure
    ) throws(ProtocolError) -> ConsumerChange {
        let record = try known(name)
        guard let given = handedOut[name], given.places.first == place else {
            throw ProtocolError(
                .notHandedOut, "the message is not the first that \(name) was handed and has not acknowledged")
        }
        let count = Self.count(of: place, record)
        return Self.isSetAside(count, attempts: given.attempts)
            ? .setAside(place, failure) : .countFruitless(head: place, count: count, failure)
    }

    /// How many hand-outs that began with a message were in vain, with this one.
    private static func count(of first: Int64, _ record: ConsumerRecord) -> Int {
        (record.head == first ? record.fruitless : 0) + 1
    }

    /// However many are set aside already: the oldest gives way, and no message holds up the others for ever.
    private static func isSetAside(_ count: Int, attempts: Int) -> Bool {
        count >= attempts
    }

    /// After so many hand-outs in vain a consumer gets one message at a time.
    private static let patience = 2

    private static func reason(_ count: Int) -> String {
        count == 1 ? "it was handed out once, in vain" : "it was handed out \(count) times, in vain"
    }

    /// A consumer was given messages, at these places, ascending.
    /// - Parameter attempts: after so many hand-outs in vain a message is set aside.
    mutating func handedOut(_ places: [Int64], attempts: Int, to name: String, now: Moment) {
        guard let record = records[name], let first = places.first else { return }
        let before = handedOut[name].flatMap { $0.isPartlyDone || $0.places.first != first ? nil : $0 }
        handedOut[name] = HandOut(places: places, attempts: attempts, began: before?.began ?? now.uptime)
        // What came to nothing before began with another message.
        if record.head != first { records[name]?.apply(.countFruitless(head: first, count: 0)) }
    }

    /// A consumer ends before it has dealt with what it was given: that is held against no message.
    mutating func handedBack(by name: String) { handedOut[name] = nil }

    // MARK: - Changes

    /// A change is on the disk.
    mutating func apply(_ change: ConsumerChange, to name: String) {
        switch change {
        case .make(let record): records[name] = record
        case .remove: (records[name], handedOut[name], careful[name]) = (nil, nil, nil)
        case .acknowledge(let through, _):
            records[name]?.apply(change)
            handedOut[name]?.places.removeAll { $0 <= through }
            handedOut[name]?.isPartlyDone = true
            endCare(name)
        case .move:
            records[name]?.apply(change)
            handedOut[name] = nil
            endCare(name)
        case .countFruitless, .setAside:
            records[name]?.apply(change)
            endInVain(name)
        case .handOutAgain: records[name]?.apply(change)
        }
    }

    /// A hand-out was in vain, and that is noted.
    private mutating func endInVain(_ name: String) {
        guard let last = handedOut.removeValue(forKey: name)?.places.last,
            records[name]?.fruitless ?? 0 >= Self.patience
        else { return }
        careful[name] = max(careful[name] ?? 0, last)
    }

    private mutating func endCare(_ name: String) {
        if let last = careful[name], records[name]?.cursor ?? 0 >= last { careful[name] = nil }
    }
}
