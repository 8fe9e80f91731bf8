import Earshot
import EarshotGateway

/// Decides what a chat shows, and what it marks as read: a pure state machine.
///
/// Events only say that there is something new. What is shown comes from the history, in the order of arrival, so lost
/// events lose no message. A message is marked as read after it was shown, together with everything that arrived before
/// it.
///
/// On a terminal nobody may be looking: what would move messages off the screen that came since the last key is held
/// back, and stays unread until somebody asks for more.
struct ChatReading {
    /// Messages shown at the beginning although they were already read.
    static let openingPage = 20
    /// How far a chat looks back for unread messages. Older ones are left to `earshot history`.
    static let longestLookBack = 20 * Limits.historyPage
    /// Messages of one page on a screen that holds some back.
    static let screenPage = 100
    /// The last messages that were shown, so that none is shown twice.
    static let rememberedMessages = 2 * Limits.historyPage

    /// A page of the history in the order of arrival.
    enum Page: Hashable {
        case latest(limit: Int)
        case before(String, limit: Int)
        case after(String, limit: Int)
    }

    enum Action: Hashable {
        /// Answered by `read(_:)`, or by `placeIsGone()`.
        case read(Page)
        case show([GatewayMessage])
        /// What is shown next was not read before; said once, at the beginning.
        case tellUnread
        case markRead(upTo: String)
        /// There are more unread messages than a chat shows, before this one.
        case tellOlderUnread(before: String)
        /// More has arrived than fits on the screen.
        case tellHeld
    }

    private enum Phase {
        /// Nothing was ever shown, or the place to go on from is gone.
        case unplaced
        /// A page was requested to find where the unread messages begin. It ends before this message, from which on
        /// there are `count` messages; the first page ends with the history.
        case lookingBack(from: GatewayMessage?, count: Int)
        /// A page was requested of what arrived after this message. If `again`, another one follows it.
        case goingOn(after: String, again: Bool)
        /// Everything is shown up to this message.
        case watching(after: String)
        /// Everything is shown up to this message, and what follows waits for somebody who looks.
        case held(after: String)
    }

    private let ownID: String
    private var phase = Phase.unplaced
    private var shownIDs: [String] = []
    private var hasBegun = false
    /// Whether unread messages were left out: from then on a mark would cover messages that nobody has seen.
    private(set) var hasLeftOut = false

    /// `nil` where nothing is held back.
    private var room: ScreenRoom?

    /// - Parameters:
    ///   - ownID: the key of this node's own user, whose messages are never unread.
    ///   - room: the screen, if what is shown may leave it before anybody has looked.
    init(ownID: String, room: ScreenRoom? = nil) {
        self.ownID = ownID
        self.room = room
    }

    /// Whether messages wait for somebody who looks.
    var isHolding: Bool { if case .held = phase { true } else { false } }

    /// Somebody has pressed a key, and so has seen what is on the screen.
    mutating func looked(rows: Int) { room?.refill(rows) }

    /// Something is to be written that is no message.
    /// - Returns: whether it moves nothing off the screen that nobody has seen.
    mutating func takeRoom(rows: Int) -> Bool { room?.take(rows: rows) ?? true }

    /// Somebody wants to see what is held back.
    mutating func more() -> [Action] {
        guard case .held(let place) = phase else { return [] }
        return goOn(after: place)
    }

    /// Somebody wants to see the last messages, and to leave out what is held back. It stays unread, so nothing is marked
    /// from now on.
    mutating func skip() -> [Action] {
        guard case .held = phase else { return [] }
        hasLeftOut = true
        phase = .unplaced
        return wake()
    }

    /// There may be something new: the chat begins, a message came or was sent, or events were lost.
    mutating func wake() -> [Action] {
        switch phase {
        case .unplaced:
            phase = .lookingBack(from: nil, count: 0)
            return [.read(.latest(limit: Self.openingPage))]
        case .lookingBack: return []
        case .goingOn(let place, _):
            phase = .goingOn(after: place, again: true)
            return []
        case .watching(let place): return goOn(after: place)
        case .held: return [.tellHeld]
        }
    }

    /// The requested page has come, in the order of arrival.
    mutating func read(_ page: [GatewayMessage]) -> [Action] {
        switch phase {
        case .unplaced, .watching, .held: []
        case .lookingBack(let from, let count): lookedBack(page, from: from, count: count)
        case .goingOn(let place, let again): wentOn(page, from: place, again: again)
        }
    }

    /// The node no longer has the message that the page was requested by: own messages get new ids when the node takes
    /// back its history.
    mutating func placeIsGone() -> [Action] {
        phase = .unplaced
        return wake()
    }

    /// A request of the last actions has failed. The next wake asks again for what was not shown.
    mutating func failed() {
        switch phase {
        case .unplaced, .watching, .held: break
        case .lookingBack: phase = .unplaced
        case .goingOn(let place, _): phase = .watching(after: place)
        }
    }

    // MARK: - Looking back

    private mutating func lookedBack(_ page: [GatewayMessage], from: GatewayMessage?, count: Int) -> [Action] {
        guard let first = page.first, let last = page.last else {
            guard let from else {
                phase = .unplaced
                return []
            }
            return goOn(showing: [from], to: from.id)
        }
        let isFirst = from == nil
        let count = count + page.count
        let isWhole = page.count < (isFirst ? Self.openingPage : Limits.historyPage)
        guard isWhole || hasLeftOut || page.contains(where: isRead) else {
            guard count < Self.longestLookBack else {
                hasLeftOut = true
                return [.tellOlderUnread(before: first.id)] + goOn(showing: page, to: last.id)
            }
            phase = .lookingBack(from: first, count: count)
            return [.read(.before(first.id, limit: Limits.historyPage))]
        }
        guard !isFirst else {
            let (actions, rest) = show(lastFitting(page))
            if let rest { return actions + hold(after: rest) }
            phase = .watching(after: last.id)
            return actions
        }
        // Nothing of earlier pages is shown that was already read.
        return goOn(showing: Array(page[(page.firstIndex(where: isUnread) ?? page.endIndex)...]), to: last.id)
    }

    /// A page without the messages at its beginning that were read, as far as they leave no room for the others.
    private func lastFitting(_ page: [GatewayMessage]) -> [GatewayMessage] {
        guard let room else { return page }
        var begin = hasLeftOut ? page.endIndex : page.firstIndex(where: isUnread) ?? page.endIndex
        var left = room.rows - page[begin...].reduce(0) { $0 + room.rows(of: $1) }
        while begin > page.startIndex, left >= room.rows(of: page[begin - 1]) {
            begin -= 1
            left -= room.rows(of: page[begin])
        }
        // The last message is shown, however long it is.
        return Array(page[min(begin, page.endIndex - 1)...])
    }

    /// Shows messages that end at a place, and asks for what follows them.
    private mutating func goOn(showing messages: [GatewayMessage], to place: String) -> [Action] {
        let (actions, rest) = show(messages)
        if let rest { return actions + hold(after: rest) }
        return actions + goOn(after: place)
    }

    /// - Parameter place: the last message that was shown.
    private mutating func hold(after place: String) -> [Action] {
        phase = .held(after: place)
        return [.tellHeld]
    }

    // MARK: - Going on

    private mutating func goOn(after place: String) -> [Action] {
        phase = .goingOn(after: place, again: false)
        return [.read(.after(place, limit: pageLimit))]
    }

    /// Where little is shown at once, little is read.
    private var pageLimit: Int { room == nil ? Limits.historyPage : Self.screenPage }

    private mutating func wentOn(_ page: [GatewayMessage], from place: String, again: Bool) -> [Action] {
        let (actions, rest) = show(page)
        if let rest { return actions + hold(after: rest) }
        let place = page.last?.id ?? place
        guard again || page.count == pageLimit else {
            phase = .watching(after: place)
            return actions
        }
        return actions + goOn(after: place)
    }

    /// - Returns: `rest`: the last message that was shown, if those that follow it have no room.
    private mutating func show(_ messages: [GatewayMessage]) -> (actions: [Action], rest: String?) {
        let known = Set(shownIDs)
        let all = messages.filter { !known.contains($0.id) }
        let count = room?.take(all) { [ownID] in Self.isUnread($0, for: ownID) } ?? all.count
        let new = Array(all[..<count])
        shownIDs += new.map(\.id)
        shownIDs.removeFirst(max(0, shownIDs.count - Self.rememberedMessages))
        var actions = begin(new)
        let end = all.indices.contains(count) ? messages.firstIndex { $0.id == all[count].id } : nil
        if !hasLeftOut, let last = messages[..<(end ?? messages.endIndex)].last(where: isUnread) {
            actions.append(.markRead(upTo: last.id))
        }
        return (actions, end == nil ? nil : shownIDs.last)
    }

    /// The first messages of a chat are divided where the unread ones begin.
    private mutating func begin(_ messages: [GatewayMessage]) -> [Action] {
        guard !messages.isEmpty else { return [] }
        guard !hasBegun, let first = messages.firstIndex(where: isUnread) else {
            hasBegun = true
            return [.show(messages)]
        }
        hasBegun = true
        return first == 0
            ? [.tellUnread, .show(messages)]
            : [.show(Array(messages[..<first])), .tellUnread, .show(Array(messages[first...]))]
    }

    private func isUnread(_ message: GatewayMessage) -> Bool { Self.isUnread(message, for: ownID) }

    private func isRead(_ message: GatewayMessage) -> Bool { Self.isRead(message, by: ownID) }

    private static func isUnread(_ message: GatewayMessage, for ownID: String) -> Bool {
        message.sender.id != ownID && !isRead(message, by: ownID)
    }

    private static func isRead(_ message: GatewayMessage, by ownID: String) -> Bool {
        message.sender.id != ownID && message.recipients.contains { $0.state == DeliveryStage.read.rawValue }
    }
}
