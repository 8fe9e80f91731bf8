import Earshot

/// Where a message goes: each a user's name, their name with the beginning of the fingerprint, or their key; or a
/// conversation of many: `#` and its name, or its id.
enum Recipients: Encodable, Sendable {
    case one(String)
    /// Each gets a message of their own, and there is a result for each.
    case several([String])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .one(let text): try container.encode(text)
        case .several(let texts): try container.encode(texts)
        }
    }
}

extension JSONType where Value == Recipients {
    static var recipients: JSONType {
        JSONType { value, path throws(GatewayError) in
            guard case .list = value else { return .one(try JSONType<String>.text.read(value, path)) }
            return .several(try JSONType<[String]>.list(of: .text).read(value, path))
        }
    }
}

/// What every body that sends something has.
struct MessageRequest: RequestBody, Encodable {
    let text: String
    var headers: [String: String]?
    var timeToLiveSeconds: Double?
    var layout: LayoutRequest?
    /// The files that it brings along.
    var attachments: [AttachmentRequest]?

    /// - Throws: `GatewayError` `invalidRequest`, also for a time to live that no clock can hold; `invalidMessage` for an address
    ///   that is no link; `unknownFile`.
    func draft() throws(GatewayError) -> MessageDraft {
        var draft = MessageDraft(text, headers: headers ?? [:])
        draft.layout = try layout?.read()
        for attachment in attachments ?? [] { draft.attachments.append(try attachment.read()) }
        if let timeToLiveSeconds {
            draft.timeToLive = .milliseconds(try Milliseconds.of(timeToLiveSeconds, field: "timeToLiveSeconds"))
        }
        return draft
    }
}

extension MessageRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        text = try fields.required("text", .text)
        headers = try fields.optional("headers", .dictionary(of: .text))
        timeToLiveSeconds = try fields.optional("timeToLiveSeconds", .number)
        attachments = try fields.optional("attachments", .list(of: .object(AttachmentRequest.self)))
        layout = try fields.optional("layout", .object(LayoutRequest.self))
    }
}

/// How a message is to look where there is room for more than its text.
package struct LayoutRequest: Encodable, Hashable, Sendable {
    package var caption: String?
    package var subcaption: String?
    package var imageTitle: String?
    package var imageSubtitle: String?
    package var accessibilityLabel: String?
    package var url: String?

    package init(
        caption: String? = nil, subcaption: String? = nil, imageTitle: String? = nil, imageSubtitle: String? = nil,
        accessibilityLabel: String? = nil, url: String? = nil
    ) {
        self.caption = caption
        self.subcaption = subcaption
        self.imageTitle = imageTitle
        self.imageSubtitle = imageSubtitle
        self.accessibilityLabel = accessibilityLabel
        self.url = url
    }

    /// - Throws: `GatewayError` `invalidMessage` for an address that is no link.
    func read() throws(GatewayError) -> MessageLayout {
        var layout = MessageLayout(
            caption: caption ?? "", subcaption: subcaption ?? "", imageTitle: imageTitle ?? "",
            imageSubtitle: imageSubtitle ?? "", accessibilityLabel: accessibilityLabel ?? "")
        guard let url, !url.isEmpty else { return layout }
        do { layout.url = try WebLink(url) } catch {
            throw GatewayError(.invalidMessage, "\(error)", .init(name: "layout.url"), cause: error)
        }
        return layout
    }
}

extension LayoutRequest: RequestBody {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        caption = try fields.optional("caption", .text)
        subcaption = try fields.optional("subcaption", .text)
        imageTitle = try fields.optional("imageTitle", .text)
        imageSubtitle = try fields.optional("imageSubtitle", .text)
        accessibilityLabel = try fields.optional("accessibilityLabel", .text)
        url = try fields.optional("url", .text)
    }
}

/// The body of `POST /v1/messages`.
struct SendRequest: RequestBody, Encodable {
    let to: Recipients
    let message: MessageRequest
    /// Users whom it is meant for in particular, each named as in `to`.
    var mentions: [String]?
    var session: SessionRequest?

    func encode(to encoder: any Encoder) throws {
        try message.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(to, forKey: .to)
        try container.encodeIfPresent(mentions, forKey: .mentions)
        try container.encodeIfPresent(session, forKey: .session)
    }

    private enum CodingKeys: String, CodingKey { case to, mentions, session }
}

extension SendRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        to = try fields.required("to", .recipients)
        message = try MessageRequest(&fields)
        mentions = try fields.optional("mentions", .list(of: .text))
        session = try fields.optional("session", .object(SessionRequest.self))
    }
}

/// A session that a message is to belong to. One without an id begins with the message.
package struct SessionRequest: Encodable, Hashable, Sendable {
    var id: String?
    let summary: String

    /// - Parameter id: `nil` for a session that begins with the message.
    package init(id: String?, summary: String) {
        self.id = id
        self.summary = summary
    }
}

extension SessionRequest: RequestBody {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        id = try fields.optional("id", .text)
        summary = try fields.required("summary", .text)
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> SessionStep {
        guard let id else { return SessionStep(.random(), summary: summary) }
        guard let session = SessionID(id) else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(id))\" is not the id of a session", .init(name: "session"))
        }
        return SessionStep(session, summary: summary)
    }
}

/// The body of `POST /v1/messages/{message}/reply`.
struct ReplyToRequest: RequestBody, Encodable {
    let message: MessageRequest
    var mentions: [String]?
    /// Whether a reply that was sent before with the same key gets this text instead.
    var inPlace: Bool?

    func encode(to encoder: any Encoder) throws {
        try message.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(mentions, forKey: .mentions)
        try container.encodeIfPresent(inPlace, forKey: .inPlace)
    }

    private enum CodingKeys: String, CodingKey { case mentions, inPlace }
}

extension ReplyToRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        message = try MessageRequest(&fields)
        mentions = try fields.optional("mentions", .list(of: .text))
        inPlace = try fields.optional("inPlace", .bool)
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

/// The body of `POST /v1/conversations`: an open conversation that is joined, or a private one that begins.
struct ConversationRequest: RequestBody, Encodable {
    /// With or without a `#` before it.
    let uniqueName: String
    /// `open` unless given, or `private`.
    var kind: String?
    /// Of an open one: whether others on the network are told the name; `true` unless given.
    var isAdvertised: Bool?
    /// What follows is of a private one.
    var friendlyName: String?
    /// JSON.
    var attributes: String?
    /// Whether who joins is given what was written before.
    var givesHistory: Bool?
    /// Who is invited, named like recipients.
    var invite: [String]?
    /// Whether one of that name that this node's user has begun is answered as it is.
    var orGet: Bool?

    /// - Throws: `GatewayError` `invalidRequest`.
    func readKind() throws(GatewayError) -> ConversationKind {
        let choices = [ConversationKind.open, .private]
        guard let kind = choices.first(where: { $0.rawValue == kind ?? ConversationKind.open.rawValue }) else {
            throw GatewayError(
                .invalidRequest, "kind is open or private",
                .init(name: "kind", suggestions: choices.map(\.rawValue)))
        }
        let foreign =
            kind == .private
            ? [("isAdvertised", isAdvertised != nil)]
            : [
                ("friendlyName", friendlyName != nil), ("attributes", attributes != nil),
                ("givesHistory", givesHistory != nil), ("invite", invite != nil), ("orGet", orGet != nil),
            ]
        if let (name, _) = foreign.first(where: \.1) {
            throw GatewayError(
                .invalidRequest, "\(kind == .private ? "a private" : "an open") conversation has no \(name)",
                .init(name: name))
        }
        return kind
    }
}

extension ConversationRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        uniqueName = try fields.required("uniqueName", .text)
        kind = try fields.optional("kind", .text)
        isAdvertised = try fields.optional("isAdvertised", .bool)
        friendlyName = try fields.optional("friendlyName", .text)
        attributes = try fields.optional("attributes", .text)
        givesHistory = try fields.optional("givesHistory", .bool)
        invite = try fields.optional("invite", .list(of: .text))
        orGet = try fields.optional("orGet", .bool)
    }
}

/// The body of `POST /v1/conversations/{conversation}/invite`.
struct InviteRequest: RequestBody, Encodable {
    /// Named like recipients.
    let users: [String]
}

extension InviteRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { users = try fields.required("users", .list(of: .text)) }
}

/// The body of `POST /v1/conversations/{conversation}/remove` and `hand-over`.
struct ParticipantRequest: RequestBody, Encodable {
    /// Named like a recipient.
    let user: String
}

extension ParticipantRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { user = try fields.required("user", .text) }
}

/// The body of `POST /v1/conversations/{conversation}/update`. What is left out stays.
struct ConversationUpdateRequest: RequestBody, Encodable {
    var friendlyName: String?
    /// JSON.
    var attributes: String?
}

extension ConversationUpdateRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        friendlyName = try fields.optional("friendlyName", .text)
        attributes = try fields.optional("attributes", .text)
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
