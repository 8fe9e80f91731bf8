import Earshot

/// The body of `POST /v1/messages`.
struct SendRequest: RequestBody, Encodable {
    /// A user's name, their name with the beginning of the fingerprint, or their key.
    let to: String
    let text: String
    var headers: [String: String]?
    var timeToLiveSeconds: Double?
    /// Users whom it is meant for in particular, each named as in `to`.
    var mentions: [String]?
    var session: SessionRequest?

    /// - Throws: `GatewayError` `invalidRequest` for a time to live that no clock can hold.
    func draft() throws(GatewayError) -> MessageDraft {
        var draft = MessageDraft(text, headers: headers ?? [:])
        if let timeToLiveSeconds {
            draft.timeToLive = .milliseconds(try Milliseconds.of(timeToLiveSeconds, field: "timeToLiveSeconds"))
        }
        return draft
    }
}

extension SendRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        to = try fields.required("to", .text)
        text = try fields.required("text", .text)
        headers = try fields.optional("headers", .dictionary(of: .text))
        timeToLiveSeconds = try fields.optional("timeToLiveSeconds", .number)
        mentions = try fields.optional("mentions", .list(of: .text))
        session = try fields.optional("session", .object(SessionRequest.self))
    }
}

/// A session that a message is to belong to. One without an id begins with the message.
struct SessionRequest: RequestBody, Encodable {
    var id: String?
    let summary: String

    init(_ fields: inout JSONFields) throws(GatewayError) {
        id = try fields.optional("id", .text)
        summary = try fields.required("summary", .text)
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> (id: SessionID, summary: String) {
        guard let id else { return (.random(), summary) }
        guard let session = SessionID(id) else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(id))\" is not the id of a session", .init(name: "session"))
        }
        return (session, summary)
    }
}

/// The body of `POST /v1/messages/{message}/reply`.
struct ReplyToRequest: RequestBody, Encodable {
    let text: String
    var headers: [String: String]?
    var timeToLiveSeconds: Double?
    var mentions: [String]?

    func draft() throws(GatewayError) -> MessageDraft {
        try SendRequest(to: "", text: text, headers: headers, timeToLiveSeconds: timeToLiveSeconds).draft()
    }
}

extension ReplyToRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        text = try fields.required("text", .text)
        headers = try fields.optional("headers", .dictionary(of: .text))
        timeToLiveSeconds = try fields.optional("timeToLiveSeconds", .number)
        mentions = try fields.optional("mentions", .list(of: .text))
    }
}

/// The body of `POST /v1/messages/{message}/edit`.
struct EditRequest: RequestBody, Encodable {
    let text: String
}

extension EditRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { text = try fields.required("text", .text) }
}

/// The body of `POST /v1/messages/{message}/react`.
struct ReactRequest: RequestBody, Encodable {
    let emoji: String
    /// Whether the reaction is taken back.
    var remove: Bool?
}

extension ReactRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        emoji = try fields.required("emoji", .text)
        remove = try fields.optional("remove", .bool)
    }
}

/// The body of `POST /v1/conversations/{conversation}/read`.
struct ReadRequest: RequestBody, Encodable {
    /// The id of a message: it was seen, and all that had arrived before it.
    var upTo: String?
    /// `true`: all that is here was seen.
    var all: Bool?

    /// - Returns: the message up to which all was seen; `nil` for all.
    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> String? {
        guard (upTo != nil) != (all == true), upTo == nil || all == nil else {
            throw GatewayError(
                .invalidRequest, "name the last message that was seen with upTo, or send all with the value true",
                .init(name: "upTo", suggestions: ["upTo", "all"]))
        }
        return upTo
    }
}

extension ReadRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        upTo = try fields.optional("upTo", .text)
        all = try fields.optional("all", .bool)
    }
}

/// The body of `POST /v1/conversations/{conversation}/typing`.
struct TypingRequest: RequestBody, Encodable {
    let isTyping: Bool
}

extension TypingRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { isTyping = try fields.required("isTyping", .bool) }
}

/// The body of `POST /v1/messages/erase`.
struct EraseRequest: RequestBody, Encodable {
    /// Ids of messages. The contents of all of them are erased, or of none.
    let messages: [String]
}

extension EraseRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        messages = try fields.required("messages", .list(of: .text))
    }
}

/// The body of `POST /v1/users/{user}/trust`.
struct TrustRequest: RequestBody, Encodable {
    /// One of `TrustDecision`.
    let decision: String
    /// The user's name at the time of the decision. If the user has another name now, nothing is done.
    var name: String?

    /// - Throws: `GatewayError` `nameChanged` for a text that nobody can have as a name.
    func expectedName() throws(GatewayError) -> UserName? {
        guard let name else { return nil }
        do { return try UserName(name) } catch {
            throw GatewayError(.nameChanged, "nobody has the name \"\(Excerpt.of(name))\": \(error)", cause: error)
        }
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> TrustDecision {
        guard let decision = TrustDecision(rawValue: decision) else {
            let choices = TrustDecision.allCases.map(\.rawValue)
            throw GatewayError(
                .invalidRequest, "decision is one of: \(choices.joined(separator: ", "))",
                .init(name: "decision", suggestions: choices))
        }
        return decision
    }
}

extension TrustRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        decision = try fields.required("decision", .text)
        name = try fields.optional("name", .text)
    }
}
