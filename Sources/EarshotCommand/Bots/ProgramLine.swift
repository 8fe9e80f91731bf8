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
    /// Messages that answer none.
    case send([BotSend])
}

/// A message that a bot's program sends.
struct BotSend: Hashable, Sendable {
    let text: String
    /// A user as everywhere; `nil` for the sender of the message that it answers.
    var to: String?
    var headers: [String: String] = [:]
    /// It goes out at this time.
    var notBefore: Date?
    /// Sent again with the same key, it is sent once.
    var idempotencyKey: String?
}

extension ProgramLine: Decodable {
    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(["ack", "fail", "reason", "typing", "send"])
        let present = Set(fields.allKeys.map(\.stringValue))
        switch present {
        case ["ack"], ["ack", "send"]:
            self = .acknowledge(try fields.read("ack"), try fields.readIfPresent("send") ?? [])
        case ["fail"], ["fail", "reason"]: self = .fail(try fields.read("fail"), reason: try fields.read("reason"))
        case ["typing"]: self = .typing(try fields.read("typing"))
        case ["send"]: self = .send(try fields.read("send"))
        default:
            throw LineError(
                "a line has \"ack\", or \"ack\" and \"send\", or \"fail\" and \"reason\", or \"typing\", or \"send\"")
        }
    }
}

extension ProgramLine {
    private struct Named: Decodable {
        let ack: String?
        let fail: String?
    }

    /// The message that a line is about which may be wrong otherwise.
    static func messageID(in line: some Collection<UInt8>) -> String? {
        do {
            let named = try JSONDecoder().decode(Named.self, from: Data(line))
            return named.ack ?? named.fail
        } catch { return nil }
    }
}

extension BotSend: Decodable {
    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(["text", "to", "headers", "notBefore", "idempotencyKey"])
        text = try fields.read("text")
        to = try fields.readIfPresent("to")
        headers = try fields.readIfPresent("headers") ?? [:]
        idempotencyKey = try fields.readIfPresent("idempotencyKey")
        notBefore = try fields.readIfPresent("notBefore", String.self).map { text in
            guard let date = Timestamp.date(text) else {
                throw LineError("notBefore is a time like 2026-01-31T12:00:00Z")
            }
            return date
        }
    }
}
