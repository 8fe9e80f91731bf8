import Earshot

extension Request {
    /// How many items a page has: `limit`.
    /// - Throws: `GatewayError` `invalidRequest`.
    func limit() throws(GatewayError) -> Int {
        try number("limit", in: 1...Limits.historyPage) ?? GatewayLimits.defaultPage
    }

    /// A number in the query; `nil` without it.
    /// - Throws: `GatewayError` `invalidRequest`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(GatewayError) -> Int? {
        guard let text = query(name) else { return nil }
        guard let number = Int(text), String(number) == text, range.contains(number) else {
            throw GatewayError(
                .invalidRequest, "\(name) is a number from \(range.lowerBound) to \(range.upperBound)",
                .init(name: name, limit: range.upperBound))
        }
        return number
    }
}

/// The requested part of a history: `limit`, `order`, `blocked`, and one of `before` and `after`.
struct HistoryQuery {
    static let items = ["limit", "order", "blocked", "before", "after"]

    let page: Conversation.Page
    let order: Conversation.Order
    let limit: Int
    let includesBlocked: Bool

    /// - Throws: `GatewayError` `invalidRequest`; `EarshotError` `unknownMessage`, `ambiguousMessage`.
    init(_ request: Request, of node: Node) async throws {
        limit = try request.limit()
        order = try Self.order(request.query("order"))
        includesBlocked = try request.flag("blocked")
        switch (request.query("before"), request.query("after")) {
        case (nil, nil): page = .latest
        case (let before?, nil): page = .before(try await node.messageID(before))
        case (nil, let after?): page = .after(try await node.messageID(after))
        case (_?, _?):
            throw GatewayError(.invalidRequest, "a page lies before one message or after one, not both")
        }
    }

    private static func order(_ text: String?) throws(GatewayError) -> Conversation.Order {
        switch text {
        case nil, "time": .time
        case "arrival": .arrival
        default:
            throw GatewayError(
                .invalidRequest, "order is time or arrival", .init(name: "order", suggestions: ["time", "arrival"]))
        }
    }
}

/// The requested participants: `limit`, `after` and `former`.
struct ParticipantsQuery {
    static let items = ["limit", "after", "former"]

    let after: UserID?
    let limit: Int
    let includesFormer: Bool

    /// - Throws: `GatewayError` `invalidRequest`; `EarshotError` `unknownUser`, `ambiguousUser`.
    init(_ request: Request, of node: Node) async throws {
        limit = try request.limit()
        after = if let text = request.query("after") { try await node.users.recipient(text) } else { nil }
        includesFormer = try request.flag("former")
    }
}

/// The requested events: `names`, separated by commas; all without it.
struct EventNames {
    let names: Set<EventName>

    /// - Throws: `GatewayError` `invalidRequest` for a name that no event has.
    init(_ request: Request) throws(GatewayError) {
        guard let text = request.query("names") else {
            names = Set(EventName.allCases)
            return
        }
        var names: Set<EventName> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let name = EventName(rawValue: String(part)) else {
                throw GatewayError(
                    .invalidRequest, "no event is called \"\(Excerpt.of(String(part)))\"",
                    .init(name: "names", suggestions: EventName.allCases.map(\.rawValue)))
            }
            names.insert(name)
        }
        self.names = names
    }
}

extension Request {
    /// What is `true` or `false`, and `false` if it is not said.
    /// - Throws: `GatewayError` `invalidRequest`.
    fileprivate func flag(_ name: String) throws(GatewayError) -> Bool {
        switch query(name) {
        case nil, "false": return false
        case "true": return true
        default:
            throw GatewayError(
                .invalidRequest, "\(name) is true or false", .init(name: name, suggestions: ["true", "false"]))
        }
    }
}
