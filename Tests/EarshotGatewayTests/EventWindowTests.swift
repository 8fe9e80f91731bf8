import Earshot
import NIOCore
import Testing

@testable import EarshotGateway

@Suite("The last events, as all event streams take them")
struct EventWindowTests {
    /// A place whose stream has read the journal.
    private func place(in window: EventWindow, for names: Set<EventName>) -> EventWindow.Place {
        var place = window.place(for: names)
        #expect(window.next(at: &place)?.lost == 0)
        return place
    }

    @Test("are kept for a stream from its beginning on, after it has read the journal")
    func order() {
        var window = EventWindow()
        window.add(.storageFailed, "before")
        var place = place(in: window, for: [.storageFailed])
        #expect(window.next(at: &place) == nil)
        window.add(.storageFailed, "one")
        window.add(.linkFailed, "two")
        #expect(window.next(at: &place)?.texts == ["one", "two"])
        #expect(window.next(at: &place) == nil)
    }

    @Test("are taken some at a time")
    func steps() {
        var window = EventWindow()
        var place = place(in: window, for: [])
        for number in 0...GatewayLimits.feedStep { window.add(.storageFailed, "\(number)") }
        #expect(window.next(at: &place)?.texts?.count == GatewayLimits.feedStep)
        #expect(window.next(at: &place)?.texts == ["\(GatewayLimits.feedStep)"])
    }

    @Test("tell a slow stream how many it lost that no journal has, at the place where they are missing")
    func lost() {
        var window = EventWindow(countLimit: 2)
        var (reader, stranger) = (place(in: window, for: [.storageFailed]), place(in: window, for: [.linkFailed]))
        for number in 0..<3 { window.add(.storageFailed, "\(number)") }
        #expect(window.next(at: &reader)?.lost == 1)
        #expect(window.next(at: &reader)?.texts == ["1", "2"])
        for number in 3..<8 { window.add(.storageFailed, "\(number)") }
        #expect(window.next(at: &reader)?.lost == 3)
        #expect(window.next(at: &reader)?.texts == ["6", "7"])
        // It wants none of those that are missing.
        #expect(window.next(at: &stranger)?.lost == 0)
    }

    @Test("are lost to nobody who has them in the journal")
    func journalled() {
        var window = EventWindow(countLimit: 1)
        var place = place(in: window, for: [.storageFailed])
        let id = EventID(generation: 1, row: 1, index: 0)
        for _ in 0..<5 { window.append(.init(content: .event(.messageQueued, id), bytes: ByteBuffer())) }
        #expect(window.next(at: &place)?.lost == 0)
    }

    @Test("take no more than a fixed number of bytes, whoever reads nothing")
    func bounded() {
        var window = EventWindow(countLimit: 100, byteLimit: 10)
        var place = place(in: window, for: [.storageFailed])
        for _ in 0..<50 { window.add(.storageFailed, "four") }
        #expect(window.next(at: &place)?.lost == 48)
        #expect(window.next(at: &place)?.texts == ["four", "four"])
    }

    @Test("are gone when nobody wants them, and are no loss to whoever comes then")
    func forgotten() {
        var window = EventWindow()
        window.add(.storageFailed, "before")
        window.removeAll()
        var place = place(in: window, for: [.storageFailed])
        window.add(.storageFailed, "after")
        #expect(window.next(at: &place)?.texts == ["after"])
    }
}

extension EventWindow {
    /// Adds an event that no journal has.
    fileprivate mutating func add(_ name: EventName, _ text: String) {
        append(Item(content: .event(name, nil), bytes: ByteBuffer(string: text)))
    }
}

extension EventWindow.Step {
    fileprivate var lost: Int? { if case .readJournal(let lost) = self { lost } else { nil } }
    fileprivate var texts: [String]? {
        if case .write(let items) = self { items.map { String(buffer: $0.bytes) } } else { nil }
    }
}
