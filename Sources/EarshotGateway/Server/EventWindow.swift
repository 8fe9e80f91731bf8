import DequeModule
import Earshot
import NIOCore

/// The last events of a node, as bytes. Their number and their size are bounded; each stream takes them at its own pace.
struct EventWindow: Sendable {
    struct Item: Sendable {
        enum Content: Sendable {
            /// An event, and its place if the journal has it.
            case event(EventName, EventID?)
            /// An event that the journal has and that no stream wanted when it came.
            case omitted(EventName, EventID)
            /// The journal has begun anew, or some of it is gone: each stream sees for itself in the journal.
            case journalChanged
            case heartbeat
        }

        let content: Content
        let bytes: ByteBuffer
        /// Who inserted the draft that the event is about; `nil` for a person, and for an event of something else.
        var draftedBy: String?
        /// Of an event about a draft, what those are told of it who may not read.
        var told: ByteBuffer?

        /// How much it keeps.
        fileprivate var byteCount: Int { bytes.readableBytes + (told?.readableBytes ?? 0) }
    }

    /// How far a stream has come.
    struct Place: Sendable {
        /// The number of the next item.
        fileprivate var next: UInt64
        /// The events that the stream wants and no journal has.
        fileprivate let names: Set<EventName>
        /// How many of them came before `next`.
        fileprivate var passed: Int
        /// Nobody knows yet what the stream has of the journal.
        fileprivate var isNew = true
    }

    /// What a stream does next.
    enum Step: Sendable {
        case write([Item])
        /// It begins, or the next items are not kept any more: reads the journal to its end. So many events that no
        /// journal has are lost.
        case readJournal(lost: Int)
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var items: Deque<Item> = []
    /// The number of the first item.
    private var first: UInt64 = 0
    private var bytes = 0
    /// How many events that no journal has were added, and how many of them are not kept any more, by name.
    private var added: [EventName: Int] = [:]
    private var dropped: [EventName: Int] = [:]

    init(countLimit: Int = GatewayLimits.feedEvents, byteLimit: Int = GatewayLimits.feedBytes) {
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
    }

    /// The place of a stream that begins now.
    func place(for names: Set<EventName>) -> Place {
        Place(next: first + UInt64(items.count), names: names, passed: Self.count(of: names, in: added))
    }

    mutating func append(_ item: Item) {
        if let name = item.unjournalled { added[name, default: 0] += 1 }
        items.append(item)
        bytes += item.byteCount
        while items.count > countLimit || bytes > byteLimit { dropFirst() }
    }

    mutating func removeAll() { while !items.isEmpty { dropFirst() } }

    private mutating func dropFirst() {
        let item = items.removeFirst()
        first += 1
        bytes -= item.byteCount
        if let name = item.unjournalled { dropped[name, default: 0] += 1 }
    }

    /// What comes next at a place; `nil` if there is nothing yet.
    func next(at place: inout Place) -> Step? {
        if place.isNew || place.next < first { return .readJournal(lost: catchUp(&place)) }
        let next = items.dropFirst(Int(place.next - first)).prefix(GatewayLimits.feedStep)
        guard !next.isEmpty else { return nil }
        place.next += UInt64(next.count)
        place.passed += next.count { $0.unjournalled.map(place.names.contains) ?? false }
        return .write(Array(next))
    }

    /// - Returns: how many events are lost.
    private func catchUp(_ place: inout Place) -> Int {
        place.isNew = false
        guard place.next < first else { return 0 }
        let gone = Self.count(of: place.names, in: dropped)
        defer { (place.next, place.passed) = (first, gone) }
        return gone - place.passed
    }

    private static func count(of names: Set<EventName>, in counts: [EventName: Int]) -> Int {
        names.reduce(0) { $0 + counts[$1, default: 0] }
    }
}

extension EventWindow.Item {
    /// The name of an event that no journal has.
    fileprivate var unjournalled: EventName? { if case .event(let name, nil) = content { name } else { nil } }
}
