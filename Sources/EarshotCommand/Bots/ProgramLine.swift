import EarshotGateway
import Foundation

/// A line that the program of an exec bot writes: one JSON object.
enum ProgramLine: Hashable, Sendable {
    /// The program is done with a message, and answers it.
    case acknowledge(String, [BotSend])
    /// The program cannot do anything with a message now.
    case fail(String, reason: String)
    /// The program works on the answer to a message, which its sender is told.
    case typing(String)
    /// The program does something about a message that it has, at once.
    case act(String, BotDeed)
    /// Messages that answer none.
    case send([BotSend])
}

/// What a bot's program does about a message that it works on.
enum BotDeed: Hashable, Sendable {
    /// Shows an answer before it is done with the message; an answer that it has shown gets this text.
    case show(text: String, headers: [String: String])
    /// Takes that answer back.
    case retract
    case react(emoji: String, isRemoved: Bool)
}

/// A message that a bot's program sends.
struct BotSend: Hashable, Sendable {
    let text: String
    /// A user as everywhere; `nil` for the conversation of the message that it answers.
    var to: String?
    var headers: [String: String] = [:]
    /// Users whom it is meant for in particular.
    var mentions: [String]?
    /// Whether it is shown as a reply to the message that it answers.
    var isReply = false
    /// Whether it takes the place of the answer that the program has shown.
    var isInPlace = false
    /// It goes out at this time.
    var notBefore: Date?
    /// A person sends or discards it.
    var isDraft = false
    /// Sent again with the same key, it is sent once.
    var idempotencyKey: String?
    /// How it looks where there is room for more than its text.
    var layout: LayoutRequest?
    /// The session that it belongs to.
    var session: SessionRequest?
}

extension ProgramLine: Decodable {
    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields([
            "ack", "fail", "reason", "typing", "send", "reply", "edit", "retract", "react", "text", "headers", "emoji",
            "remove",
        ])
        let present = Set(fields.allKeys.map(\.stringValue))
        switch present {
        case ["ack"], ["ack", "send"], ["ack", "edit"], ["ack", "send", "edit"]:
            let edit: String? = try fields.readIfPresent("edit")
            let inPlace = edit.map { BotSend(text: $0, isInPlace: true) }
            let sends: [BotSend] = try fields.readIfPresent("send") ?? []
            self = .acknowledge(try fields.read("ack"), (inPlace.map { [$0] } ?? []) + sends)
        case ["fail"], ["fail", "reason"]: self = .fail(try fields.read("fail"), reason: try fields.read("reason"))
        case ["typing"]: self = .typing(try fields.read("typing"))
        case ["send"]: self = .send(try fields.read("send"))
        case ["reply", "text"], ["reply", "text", "headers"]:
            let headers: [String: String] = try fields.readIfPresent("headers") ?? [:]
            self = .act(try fields.read("reply"), .show(text: try fields.read("text"), headers: headers))
        case ["edit", "text"]:
            self = .act(try fields.read("edit"), .show(text: try fields.read("text"), headers: [:]))
        case ["retract"]: self = .act(try fields.read("retract"), .retract)
        case ["react", "emoji"], ["react", "emoji", "remove"]:
            let isRemoved: Bool = try fields.readIfPresent("remove") ?? false
            self = .act(
                try fields.read("react"), .react(emoji: try fields.read("emoji"), isRemoved: isRemoved))
        default:
            throw LineError(
                "a line has \"ack\", and perhaps \"send\" and \"edit\", or \"fail\" and \"reason\", or \"typing\", or \"send\", "
                    + "or \"reply\" and \"text\", or \"edit\" and \"text\", or \"retract\", or \"react\" and \"emoji\"")
        }
    }
}

extension ProgramLine {
    private struct Named: Decodable {
        let ack: String?
        let fail: String?
        let reply: String?
    }

    /// The message that a line is about which may be wrong otherwise.
    static func messageID(in line: some Collection<UInt8>) -> String? {
        do {
            let named = try JSONDecoder().decode(Named.self, from: Data(line))
            return named.ack ?? named.fail ?? named.reply
        } catch { return nil }
    }
}

extension BotSend: Decodable {
    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields([
            "text", "to", "headers", "mentions", "isReply", "isDraft", "notBefore", "idempotencyKey", "layout",
            "session",
        ])
        text = try fields.read("text")
        to = try fields.readIfPresent("to")
        headers = try fields.readIfPresent("headers") ?? [:]
        mentions = try fields.readIfPresent("mentions")
        isReply = try fields.readIfPresent("isReply") ?? false
        isDraft = try fields.readIfPresent("isDraft") ?? false
        idempotencyKey = try fields.readIfPresent("idempotencyKey")
        notBefore = try fields.readIfPresent("notBefore", String.self).map { text in
            guard let date = Timestamp.date(text) else {
                throw LineError("notBefore is a time like 2026-01-31T12:00:00Z")
            }
            return date
        }
        guard !isDraft || notBefore == nil else {
            throw LineError("a draft goes out when a person sends it, and has no notBefore")
        }
        layout = try fields.readIfPresent("layout", ProgramLayout.self)?.request
        session = try fields.readIfPresent("session", ProgramSession.self)?.request
    }
}

/// A layout as a program writes it.
private struct ProgramLayout: Decodable {
    let request: LayoutRequest

    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields([
            "caption", "subcaption", "imageTitle", "imageSubtitle", "accessibilityLabel", "url",
        ])
        request = LayoutRequest(
            caption: try fields.readIfPresent("caption"), subcaption: try fields.readIfPresent("subcaption"),
            imageTitle: try fields.readIfPresent("imageTitle"),
            imageSubtitle: try fields.readIfPresent("imageSubtitle"),
            accessibilityLabel: try fields.readIfPresent("accessibilityLabel"), url: try fields.readIfPresent("url"))
    }
}

/// A session as a program names it; without an id it begins one.
private struct ProgramSession: Decodable {
    let request: SessionRequest

    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(["id", "summary"])
        request = SessionRequest(id: try fields.readIfPresent("id"), summary: try fields.read("summary"))
    }
}
