import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

@testable import Earshot
@testable import EarshotGateway

/// The local API, on both ends.
let gatewayTargets = [
    FuzzTarget("local-api", maximumBytes: 2048, prepare: { _ = LocalAPI.shared }) { input in
        let request = LocalAPI.request(&input)
        if request.path.hasPrefix("/v1/events") {
            _ = try? EventNames(request)
            return
        }
        let status = LocalAPI.shared.status(of: request)
        require(status.code < 500, "\(request.method) \(request.path) is answered with \(status)")
    },
    FuzzTarget("drafts-and-files", maximumBytes: 2048, prepare: { _ = LocalAPI.shared }) { input in
        var draft = ""
        // What the first requests have made, the next ones change.
        for _ in 0..<4 where !input.isEmpty {
            let request = LocalAPI.draftRequest(&input, draft: draft)
            let response = LocalAPI.shared.response(to: request)
            require(response.status.code < 500, "\(request.method) \(request.path) is answered with \(response.status)")
            guard response.status == .created, case .bytes(let body) = response.body else { continue }
            draft = (try? JSONDecoder().decode(GatewayDraft.self, from: Data(body.readableBytesView)))?.id ?? draft
        }
    },
    FuzzTarget("event-stream", maximumBytes: 4096) { input in
        let cuts = input.block()
        let stream = input.rest()
        var whole = ServerSentEventParser()
        whole.append(stream)
        let expected = events(of: &whole)
        var parser = ServerSentEventParser()
        var found: [[UInt8]] = []
        var order = FuzzInput(cuts)
        for piece in order.pieces(of: stream) {
            parser.append(piece)
            found += events(of: &parser)
        }
        require(found == expected, "the same events, however the stream is cut")
        for data in found { _ = try? JSONDecoder().decode(GatewayEvent.self, from: Data(data)) }
    },
]

private func events(of parser: inout ServerSentEventParser) -> [[UInt8]] {
    var events: [[UInt8]] = []
    while let event = try? parser.next() { events.append(event) }
    return events
}

/// The endpoints of a node that runs on loopback and has met somebody, without a socket.
private final class LocalAPI: Sendable {
    static let shared = LocalAPI()

    private let node: Node
    private let responder: Responder

    private init() {
        let home = Home(path: NSTemporaryDirectory() + "/earshot-fuzz-api-\(getpid())")
        node = certain {
            try home.create(name: "alice")
            try Self.meetMallory(in: home)
            return try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
        }
        let (node, isRunning) = (node, DispatchSemaphore(value: 0))
        let loaded = Mutex<TokenBook?>(nil)
        let isLoaded = DispatchSemaphore(value: 0)
        Task {
            let book = try await TokenBook(node: node)
            loaded.withLock { $0 = book }
            isLoaded.signal()
        }
        isLoaded.wait()
        guard let tokens = loaded.withLock({ $0 }) else { preconditionFailure("the tokens were loaded") }
        responder = Responder(
            node: node, feed: EventFeed(node: node), tokens: tokens, door: PageDoor(node: node, tokens: tokens))
        let states = node.events.events(.nodeStateChanged)
        Task { try await node.run() }
        Task {
            _ = try await states.first { $0.port != nil }
            isRunning.signal()
        }
        isRunning.wait()
    }

    /// A user whose name and messages are as bad as they can be.
    private static func meetMallory(in home: Home) throws {
        let store = try Store(path: home.databaseFile)
        var commit = Commit()
        commit.users = [
            UserRecord(
                userID: Cast.mallory.userID, name: Cast.mallory.name, trust: .unverified, isPinned: true, firstSeen: 0,
                lastSeen: .max)
        ]
        try store.commit(commit)
        try store.close()
    }

    static func request(_ input: inout FuzzInput) -> Request {
        let methods: [HTTPMethod] = [.GET, .POST, .DELETE, .HEAD]
        let paths = [
            "node", "users", "users/\(word(&input))", "users/\(word(&input))/trust",
            "users/\(word(&input))/safety-number", "messages", "messages/\(word(&input))",
            "conversations/\(word(&input))/messages", "conversations/\(word(&input))/read", "events", word(&input),
            "messages/\(word(&input))/cancel", "conversations", "conversations/\(word(&input))",
            "conversations/\(word(&input))/erase", "messages/erase",
            "tokens", "tokens/\(word(&input))",
        ]
        var path = "/v1/" + paths[input.choice(paths.count)]
        if input.flag() { path += "?" + query(&input) }
        let body = input.choice(4) == 0 ? input.rest() : json(&input)
        return Request(
            method: methods[input.choice(methods.count)], target: path, body: ByteBuffer(bytes: body))
    }

    /// A request about drafts, about files, or for a message with all that a draft may have.
    static func draftRequest(_ input: inout FuzzInput, draft: String) -> Request {
        let id = !draft.isEmpty && input.choice(4) > 0 ? draft : word(&input)
        let file = input.flag() ? "\(FileID(Cast.mallory.userID.bytes32))" : word(&input)
        let (method, path): (HTTPMethod, String) =
            switch input.choice(12) {
            case 0: (.GET, "drafts?conversation=\(word(&input))")
            case 1: (.GET, "drafts/\(id)")
            case 2: (.POST, "drafts/\(id)/edit")
            case 3: (.POST, "drafts/\(id)/send")
            case 4: (.DELETE, "drafts/\(id)")
            case 5: (.GET, "files/\(file)")
            case 6: (.GET, "files/\(file)/" + (input.flag() ? "content" : "picture"))
            case 7: (.POST, "files/\(file)/" + (input.flag() ? "fetch" : "decline"))
            case 8: (.POST, "files/\(file)/save")
            case 9: (.POST, "messages")
            default: (.POST, "drafts")
            }
        return Request(method: method, target: "/v1/" + path, body: ByteBuffer(bytes: message(&input)))
    }

    /// JSON of a message that a program prepares, which one may damage.
    private static func message(_ input: inout FuzzInput) -> [UInt8] {
        var fields = ["\"to\":\"\(input.flag() ? "mallory" : word(&input))\"", "\"text\":\"\(word(&input))\""]
        if input.choice(4) == 1 {
            let names = ["caption", "subcaption", "imageTitle", "imageSubtitle", "accessibilityLabel"]
            let parts = names.filter { _ in input.flag() }.map { "\"\($0)\":\"\(word(&input))\"" }
            let url = "\"url\":\"\(input.flag() ? "https://" : "")\(word(&input))\""
            fields.append("\"layout\":{\((parts + [url]).joined(separator: ","))}")
        }
        if input.choice(4) == 1 {
            let attachments = (0..<[1, 2, Limits.attachments + 1][input.choice(3)]).map { _ in
                "{\"fileID\":\"\(input.choice(4) > 0 ? "\(FileID(Cast.mallory.userID.bytes32))" : word(&input))\","
                    + "\"name\":\"\(word(&input))\",\"mediaType\":\"\(input.flag() ? "image/png" : word(&input))\","
                    + "\"byteCount\":\(input.number())}"
            }
            fields.append("\"attachments\":[\(attachments.joined(separator: ","))]")
        }
        if input.choice(4) == 1 {
            let id = input.flag() ? "\"id\":\"\(word(&input))\"," : ""
            fields.append("\"session\":{\(id)\"summary\":\"\(word(&input))\"}")
        }
        if input.choice(4) == 1 { fields.append("\"mentions\":[\"\(word(&input))\",\"mallory\"]") }
        if input.choice(4) == 1 { fields.append("\"insertedBy\":\"\(word(&input))\"") }
        if input.choice(4) == 1 { fields.append("\"folder\":\"/\(word(&input))\",\"name\":\"\(word(&input))\"") }
        if input.choice(4) == 1 { fields.append("\"timeToLiveSeconds\":\(input.number())e\(input.byte())") }
        var bytes = Array("{\(fields.joined(separator: ","))}".utf8)
        input.damage(&bytes)
        return bytes
    }

    private static func word(_ input: inout FuzzInput) -> String {
        switch input.choice(4) {
        case 0: return "mallory"
        case 1: return "\(LogID(Cast.mallory.userID.bytes32))-\(input.number())"
        case 2: return input.text().addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        default: return input.text()
        }
    }

    private static func query(_ input: inout FuzzInput) -> String {
        let names = ["limit", "before", "after", "names", input.text()]
        return (0..<input.choice(4)).map { _ in "\(names[input.choice(names.count)])=\(word(&input))" }
            .joined(separator: "&")
    }

    private static func json(_ input: inout FuzzInput) -> [UInt8] {
        let fields = [
            "\"to\":\"\(word(&input))\"", "\"text\":\"\(word(&input))\"",
            "\"headers\":{\"\(word(&input))\":\"\(word(&input))\"}",
            "\"timeToLiveSeconds\":\(input.number())e\(input.byte())", "\"decision\":\"verify\"",
            "\"upTo\":\"\(word(&input))\"", "\"messages\":[\"\(word(&input))\"]", input.text(),
        ]
        var bytes = Array("{\(fields.filter { _ in input.flag() }.joined(separator: ","))}".utf8)
        input.damage(&bytes)
        return bytes
    }

    func status(of request: Request) -> HTTPResponseStatus { response(to: request).status }

    func response(to request: Request) -> Response {
        let answer = Mutex<Response?>(nil)
        let isAnswered = DispatchSemaphore(value: 0)
        Task {
            let response = await responder.respond(to: request)
            answer.withLock { $0 = response }
            isAnswered.signal()
        }
        isAnswered.wait()
        guard let response = answer.withLock({ $0 }) else { preconditionFailure("the request was answered") }
        return response
    }
}
