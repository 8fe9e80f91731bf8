import Earshot
import Testing

@testable import EarshotCommand
@testable import EarshotGateway

@Suite("What a chat shows and marks as read")
struct ChatReadingTests {
    @Test("begins with the last twenty messages if all were read, and marks nothing")
    func allRead() {
        var chat = Chat(messages: 50, read: 50)
        chat.wake()
        #expect(chat.shown == chat.ids(31...50))
        #expect(chat.unread == [])
        #expect(chat.read == 50)
        #expect(chat.marks.isEmpty)
    }

    @Test(
        "begins with every unread message, however many there are", arguments: [1, 19, 20, 21, 100, 1000, 1001, 3000])
    func unread(count: Int) {
        var chat = Chat(messages: 50 + count, read: 50)
        chat.wake()
        #expect(Set(chat.shown).isSuperset(of: chat.ids(51...(50 + count))))
        #expect(chat.shown == chat.ids(min(51, 31 + count)...(50 + count)))
        #expect(chat.unread == [max(0, 20 - count)])
        #expect(chat.read == 50 + count)
        chat.add(1)
        chat.wake()
        #expect(chat.unread.count == 1, "it is said once")
    }

    @Test("begins with the whole history if nothing was ever read", arguments: [1, 19, 20, 21, 1020, 1021, 2500])
    func neverRead(count: Int) {
        var chat = Chat(messages: count, read: 0)
        chat.wake()
        #expect(chat.shown == chat.ids(1...count))
        #expect(chat.read == count)
    }

    @Test("goes on with everything that arrived, even if events were lost", arguments: [1, 999, 1000, 1001, 3000])
    func burst(count: Int) {
        var chat = Chat(messages: 5, read: 5)
        chat.wake()
        chat.add(count)
        chat.wake()
        #expect(chat.shown == chat.ids(1...(5 + count)))
        #expect(chat.read == 5 + count)
    }

    @Test("includes messages that arrive while a page is being read")
    func whileReading() {
        var chat = Chat(messages: 5, read: 5)
        chat.wake()
        chat.add(1)
        chat.wake { chat in
            chat.add(1)
            chat.wakeDuringPage()
        }
        #expect(chat.shown == chat.ids(1...7))
        #expect(chat.read == 7)
    }

    @Test("shows what arrived, and nothing twice, after a page has failed to come", arguments: [0, 5])
    func failure(messages: Int) {
        var chat = Chat(messages: messages, read: messages)
        if messages > 0 { chat.wake() }
        chat.add(1)
        chat.wakeInVain()
        chat.wake()
        #expect(chat.shown == chat.ids(1...(messages + 1)))
    }

    @Test("begins with the first messages of an empty conversation")
    func empty() {
        var chat = Chat(messages: 0, read: 0)
        chat.wake()
        chat.add(1500)
        chat.wake()
        #expect(chat.shown == chat.ids(1...1500))
        #expect(chat.read == 1500)
    }

    @Test("leaves out unread messages beyond its limit, says so, and marks nothing from then on")
    func tooMany() {
        let count = ChatReading.longestLookBack + 5000
        var chat = Chat(messages: count, read: 0)
        chat.wake()
        chat.add(1)
        chat.wake()
        let first = count + 1 - chat.shown.count + 1
        #expect(chat.shown == chat.ids(first...(count + 1)))
        #expect(chat.shown.count > ChatReading.longestLookBack)
        #expect(chat.olderUnread == "\(first)")
        #expect(chat.marks.isEmpty)
    }

    @Test("looks past own messages for unread ones")
    func ownMessages() {
        var chat = Chat(messages: 30, read: 10)
        chat.add(1500, isOwn: true)
        chat.wake()
        #expect(chat.shown == chat.ids(11...1530))
        #expect(chat.read == 30)
    }

    @Test("goes on if its last message has got another id, and shows nothing twice")
    func renamed() {
        var chat = Chat(messages: 5, read: 5)
        chat.add(1, isOwn: true)
        chat.wake()
        chat.rename(6, to: "new")
        chat.add(1)
        chat.wake()
        #expect(chat.shown == chat.ids(1...6) + ["new", "7"])
        #expect(chat.read == 7)
    }

    // MARK: - On a screen

    @Test("shows a screen of unread messages, and holds back the others until somebody looks")
    func screens() {
        var chat = Chat(messages: 1050, read: 50, rows: 20)
        chat.wake()
        #expect(chat.shown == chat.ids(51...70))
        #expect(chat.read == 70)
        #expect(chat.isHolding)
        chat.add(5)
        chat.wake()
        #expect(chat.read == 70, "what arrives waits behind the others")
        for screen in 1...50 {
            chat.look(rows: 20)
            chat.more()
            #expect(chat.read == min(1055, 70 + 20 * screen))
        }
        #expect(chat.shown == chat.ids(51...1055))
        #expect(!chat.isHolding)
    }

    @Test("shows what comes until the screen is full of what nobody has seen", arguments: [1, 19, 20, 21, 500])
    func live(count: Int) {
        var chat = Chat(messages: 30, read: 30, rows: 20)
        chat.wake()
        #expect(chat.shown == chat.ids(11...30), "what was read before takes no room")
        chat.add(count)
        chat.wake()
        #expect(chat.read == 30 + min(20, count))
        #expect(chat.isHolding == (count > 20))
        chat.look(rows: 20)
        chat.more()
        #expect(chat.read == 30 + min(40, count))
    }

    @Test("has the whole screen for what comes after a key")
    func keys() {
        var chat = Chat(messages: 1, read: 1, rows: 3)
        chat.wake()
        for number in 2...30 {
            chat.look(rows: 3)
            chat.add(1)
            chat.wake()
            #expect(chat.read == number)
        }
        #expect(chat.shown == chat.ids(1...30))
    }

    @Test("lets nothing else move messages off the screen that nobody has seen")
    func remarks() {
        var chat = Chat(messages: 30, read: 30, rows: 10)
        chat.wake()
        var taken = chat.takes(rows: 100)
        #expect(taken, "everything there was seen")
        chat.add(7)
        chat.wake()
        taken = chat.takes(rows: 2)
        #expect(taken)
        taken = chat.takes(rows: 2)
        #expect(!taken)
        chat.add(2)
        chat.wake()
        #expect(chat.read == 38, "one row is left for messages, too")
        taken = chat.takes(rows: 1)
        #expect(!taken)
        chat.look(rows: 10)
        taken = chat.takes(rows: 1)
        #expect(taken)
    }

    @Test("marks nothing any more after what waits was left out")
    func skipped() {
        var chat = Chat(messages: 500, read: 100, rows: 20)
        chat.wake()
        #expect(chat.read == 120)
        chat.look(rows: 20)
        chat.skip()
        #expect(chat.shown == chat.ids(101...120) + chat.ids(481...500))
        chat.add(1)
        chat.look(rows: 20)
        chat.wake()
        #expect(chat.shown.last == "501")
        #expect(chat.read == 120)
    }
}

/// A chat, and the node that answers it.
private struct Chat {
    static let (me, peer) = ("me", "peer")

    private var reading: ChatReading
    private var history: [(id: String, isOwn: Bool)] = []
    /// Up to which place in the order of arrival the other's messages were marked as read.
    private(set) var read = 0
    private(set) var shown: [String] = []
    /// How much was shown each time when it said that what follows is unread.
    private(set) var unread: [Int] = []
    private(set) var marks: [String] = []
    private(set) var olderUnread: String?
    private(set) var heldCount = 0

    /// - Parameter rows: of the screen, of which each message takes one; `nil` where nothing is held back.
    init(messages: Int, read: Int, rows: Int? = nil) {
        reading = ChatReading(ownID: Chat.me, room: rows.map { ScreenRoom(rows: $0) { _ in 1 } })
        add(messages)
        self.read = read
    }

    /// The ids of messages: each is its place in the order of arrival.
    func ids(_ places: ClosedRange<Int>) -> [String] { places.map(String.init) }

    mutating func add(_ count: Int, isOwn: Bool = false) {
        for _ in 0..<count { history.append(("\(history.count + 1)", isOwn)) }
    }

    mutating func rename(_ place: Int, to id: String) {
        history[place - 1].id = id
    }

    /// - Parameter interruption: happens once, while a page is under way.
    mutating func wake(interruption: ((inout Chat) -> Void)? = nil) {
        perform(reading.wake(), interruption)
    }

    var isHolding: Bool { reading.isHolding }

    mutating func look(rows: Int) { reading.looked(rows: rows) }
    mutating func takes(rows: Int) -> Bool { reading.takeRoom(rows: rows) }
    mutating func more() { perform(reading.more()) }
    mutating func skip() { perform(reading.skip()) }

    private mutating func perform(
        _ first: [ChatReading.Action], _ interruption: ((inout Chat) -> Void)? = nil
    ) {
        var (actions, interruption) = (first, interruption)
        while !actions.isEmpty {
            let action = actions.removeFirst()
            switch action {
            case .read(let page):
                let messages = answer(page)
                interruption?(&self)
                interruption = nil
                actions += messages.map { reading.read($0) } ?? reading.placeIsGone()
            case .show(let messages): shown += messages.map(\.id)
            case .tellUnread: unread.append(shown.count)
            case .markRead(let id): mark(id)
            case .tellOlderUnread(let id): olderUnread = id
            case .tellHeld: heldCount += 1
            }
        }
    }

    mutating func wakeInVain() {
        #expect(reading.wake().count == 1)
        reading.failed()
    }

    mutating func wakeDuringPage() { #expect(reading.wake().isEmpty) }

    /// Whatever a mark covers must have been shown, or read before.
    private mutating func mark(_ id: String) {
        marks.append(id)
        guard let place = history.firstIndex(where: { $0.id == id }).map({ $0 + 1 }) else {
            Issue.record("\(id) was marked, and is not there")
            return
        }
        let covered = history[read..<max(read, place)].filter { !$0.isOwn }.map(\.id)
        #expect(Set(shown).isSuperset(of: covered), "a mark covers what was not shown")
        read = max(read, place)
    }

    /// - Returns: `nil` where the message is not there that the page goes by.
    private func answer(_ page: ChatReading.Page) -> [GatewayMessage]? {
        let places: Range<Int>
        switch page {
        case .latest(let limit): places = max(0, history.count - limit)..<history.count
        case .before(let id, let limit):
            guard let place = history.firstIndex(where: { $0.id == id }) else { return nil }
            places = max(0, place - limit)..<place
        case .after(let id, let limit):
            guard let place = history.firstIndex(where: { $0.id == id }) else { return nil }
            places = place + 1..<min(history.count, place + 1 + limit)
        }
        return places.map(message)
    }

    private func message(at index: Int) -> GatewayMessage {
        let (id, isOwn) = history[index]
        let (sender, recipient) = isOwn ? (Self.me, Self.peer) : (Self.peer, Self.me)
        return GatewayMessage(
            id: id, conversationID: "conversation", sender: GatewayParty(id: sender, name: nil),
            recipients: [
                GatewayDelivery(id: recipient, name: nil, state: index < read ? "read" : "delivered", reason: nil)
            ], text: "text", isDeleted: false, headers: [:], timestamp: "", timestampMilliseconds: 0, expiry: "",
            expiryMilliseconds: 0)
    }
}
