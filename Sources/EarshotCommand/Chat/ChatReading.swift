import Earshot
import EarshotGateway

/// Decides what a chat shows, and what it marks as read: a pure state machine.
///
/// Events only say that there is something new. What is shown comes from the history, in the order of arrival, so lost
/// events lose no message. A message is marked as read after it was shown, together with everything that arrived before
/// it.
struct ChatReading {
    /// Messages shown at the beginning although they were already read.
    static let openingPage = 20
    /// How far a chat looks back for unread messages. Older ones are left to `earshot history`.
    static let longestLookBack = 20 * Limits.historyPage
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
    }

    private let ownID: String
    private var phase = Phase.unplaced
    private var shownIDs: [String] = []
    private var hasBegun = false
    /// Whether unread messages were left out: from then on a mark would cover messages that nobody has seen.
    private var hasLeftOut = false

    /// - Parameter ownID: the key of this node's own user, whose messages are never unread.
    init(ownID: String) { self.ownID = ownID }

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
        }
    }

    /// The requested page has come, in the order of arrival.
    mutating func read(_ page: [GatewayMessage]) -> [Action] {
        switch phase {
        case .unplaced, .watching: []
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
        case .unplaced, .watching: break
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
            return show([from]) + goOn(after: from.id)
        }
        let isFirst = from == nil
        let count = count + page.count
        let isWhole = page.count < (isFirst ? Self.openingPage : Limits.historyPage)
        guard isWhole || page.contains(where: isRead) else {
            guard count < Self.longestLookBack else {
                hasLeftOut = true
                return [.tellOlderUnread(before: first.id)] + show(page) + goOn(after: last.id)
            }
            phase = .lookingBack(from: first, count: count)
            return [.read(.before(first.id, limit: Limits.historyPage))]
        }
        guard !isFirst else {
            phase = .watching(after: last.id)
            return show(page)
        }
        // Nothing of earlier pages is shown that was already read.
        return show(Array(page[(page.firstIndex(where: isUnread) ?? page.endIndex)...])) + goOn(after: last.id)
    }

    // MARK: - Going on

    private mutating func goOn(after place: String) -> [Action] {
        phase = .goingOn(after: place, again: false)
        return [.read(.after(place, limit: Limits.historyPage))]
    }

    private mutating func wentOn(_ page: [GatewayMessage], from place: String, again: Bool) -> [Action] {
        let actions = show(page)
        let place = page.last?.id ?? place
        guard again || page.count == Limits.historyPage else {
            phase = .watching(after: place)
            return actions
        }
        return actions + goOn(after: place)
    }

    private mutating func show(_ messages: [GatewayMessage]) -> [Action] {
        let known = Set(shownIDs)
        let new = messages.filter { !known.contains($0.id) }
        shownIDs += new.map(\.id)
        shownIDs.removeFirst(max(0, shownIDs.count - Self.rememberedMessages))
        var actions = begin(new)
        if !hasLeftOut, let last = messages.last(where: isUnread) { actions.append(.markRead(upTo: last.id)) }
        return actions
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

    private func isUnread(_ message: GatewayMessage) -> Bool { message.sender.id != ownID && !isRead(message) }

    private func isRead(_ message: GatewayMessage) -> Bool {
        message.sender.id != ownID && message.recipients.contains { $0.state == DeliveryStage.read.rawValue }
    }
}
