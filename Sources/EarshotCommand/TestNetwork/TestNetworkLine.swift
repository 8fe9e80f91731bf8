import Foundation

/// A line that tells a test network what to do: one JSON object.
enum TestNetworkLine: Hashable, Sendable {
    /// Starts the node of a user, whom it makes when first named.
    case node(String)
    case stop(String)
    case crash(String)
    case advance(Duration)
    case send(from: String, to: String, text: String, headers: [String: String])
    case cut([String])
    case mend([String])
    case breakConnections([String])
    case fillDisk(String)
    case freeDisk(String)
    /// What a consumer of a user acknowledges next is handed out to it once more.
    case duplicateHandOut(user: String, consumer: String)
    /// The node of a user crashes when a consumer acknowledges next, and starts again.
    case crashAfterHandOut(user: String, consumer: String)
}

extension TestNetworkLine: Decodable {
    private static let names = [
        "node", "stop", "crash", "advance", "send", "cut", "mend", "break", "fillDisk", "freeDisk",
        "duplicateHandOut", "crashAfterHandOut",
    ]

    init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(Self.names)
        guard let name = fields.allKeys.first?.stringValue, fields.allKeys.count == 1 else {
            throw LineError("a line has one of: \(Self.names.joined(separator: ", "))")
        }
        switch name {
        case "node": self = .node(try fields.read(name))
        case "stop": self = .stop(try fields.read(name))
        case "crash": self = .crash(try fields.read(name))
        case "advance": self = .advance(try Self.span(try fields.read(name)))
        case "send":
            let sent = try fields.read(name, Sent.self)
            self = .send(from: sent.from, to: sent.to, text: sent.text, headers: sent.headers)
        case "cut": self = .cut(try Self.pair(fields, name))
        case "mend": self = .mend(try Self.pair(fields, name))
        case "break": self = .breakConnections(try Self.pair(fields, name))
        case "fillDisk": self = .fillDisk(try fields.read(name))
        case "freeDisk": self = .freeDisk(try fields.read(name))
        case "duplicateHandOut":
            let reader = try fields.read(name, Reader.self)
            self = .duplicateHandOut(user: reader.user, consumer: reader.consumer)
        default:
            let reader = try fields.read(name, Reader.self)
            self = .crashAfterHandOut(user: reader.user, consumer: reader.consumer)
        }
    }

    private static func span(_ text: String) throws(LineError) -> Duration {
        do { return try SpanOfTime.readPositive(text) } catch {
            throw LineError("advance takes a time like 90s, 5m, 1d12h or 30d")
        }
    }

    private static func pair(_ fields: KeyedDecodingContainer<AnyKey>, _ name: String) throws -> [String] {
        let names = try fields.read(name, [String].self)
        guard names.count == 2, names[0] != names[1] else { throw LineError("\(name) takes the names of two users") }
        return names
    }

    private struct Sent: Decodable {
        let from: String
        let to: String
        let text: String
        let headers: [String: String]

        init(from decoder: any Decoder) throws {
            let fields = try decoder.fields(["from", "to", "text", "headers"])
            from = try fields.read("from")
            to = try fields.read("to")
            text = try fields.read("text")
            headers = try fields.readIfPresent("headers") ?? [:]
        }
    }

    private struct Reader: Decodable {
        let user: String
        let consumer: String

        init(from decoder: any Decoder) throws {
            let fields = try decoder.fields(["user", "consumer"])
            user = try fields.read("user")
            consumer = try fields.read("consumer")
        }
    }
}
