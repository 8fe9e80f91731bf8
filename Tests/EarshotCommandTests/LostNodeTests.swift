import EarshotGateway
import Foundation
import Testing

@Suite("A node that is killed", .keepsWhatItStarts)
struct LostNodeTests {
    @Test("comes back with every event for a stream that names its last one, and with each once")
    func events() async throws {
        let pair = try await Pair.met()
        let stream = try Self.stream(of: pair.bob)
        try await stream.expect(": earshot events")
        let begin = try #require(Self.ids(in: stream.outputText).last)
        for number in 1...3 { #expect(try await pair.alice.run("send", "bob", "message \(number)").status == 0) }
        try await stream.expect("message 3")
        pair.bobNode.signal(SIGKILL)
        _ = try await (pair.bobNode.end(), stream.end())
        for number in 4...6 { #expect(try await pair.alice.run("send", "bob", "message \(number)").status == 0) }
        _ = try await pair.bob.up()

        let last = try #require(Self.ids(in: stream.outputText).last)
        let next = try Self.stream(of: pair.bob, "-H", "Last-Event-ID: \(last)")
        try await next.expect("message 6")
        #expect(Self.texts(in: stream.outputText) + Self.texts(in: next.outputText) == (1...6).map { "message \($0)" })
        let all = try Self.stream(of: pair.bob, "-H", "Last-Event-ID: \(begin)")
        try await all.expect("message 6")
        #expect(Self.texts(in: all.outputText) == (1...6).map { "message \($0)" })
    }

    private static func stream(of home: TestHome, _ options: String...) throws -> RunningProgram {
        let socket = ["-sN", "--unix-socket", home.path + "/node.sock"]
        return try RunningProgram(
            socket + options + ["http://node/v1/events?names=messageReceived"], program: "/usr/bin/curl")
    }

    private static func ids(in text: String) -> [String] {
        text.matches(of: /(?m)^id: (\S+)$/).map { String($0.output.1) }
    }

    private static func texts(in text: String) -> [String] {
        text.matches(of: /"text":"(message \d+)"/).map { String($0.output.1) }
    }

    @Test("is waited for by a chat, which then shows everything that came")
    func chat() async throws {
        let pair = try await Pair.met()
        let chat = try RunningProgram(["chat", "alice", "--home", pair.bob.path])
        #expect(try await pair.alice.run("send", "bob", "before").status == 0)
        try await chat.expect("alice: before")
        pair.bobNode.signal(SIGKILL)
        _ = try await pair.bobNode.end()
        try await chat.expect("the connection to the node was lost; waiting for the node")
        #expect(try await pair.alice.run("send", "bob", "meanwhile").status == 0)
        _ = try await pair.bob.up()
        try await chat.expect("alice: meanwhile")
        chat.write(Data("after\n".utf8))
        try await chat.expect("after")
        chat.closeInput()
        #expect(try await chat.end().status == 0)
        try await pair.alice.until("alice has the answer, and knows that hers were read") { client in
            let history = try await client.history(with: "bob")
            let states = history.prefix(2).map { $0.recipients.first?.state }
            return history.map(\.text) == ["before", "meanwhile", "after"] && states == ["read", "read"]
        }
    }

    @Test("is waited for by a send that waits for its message to be delivered")
    func send() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        try await pair.aliceNode.expect("bob is offline")
        let wait = ["--wait", "delivered", "--timeout", "5m"]
        let send = try RunningProgram(["send", "bob", "hello", "--home", pair.alice.path] + wait)
        try await send.expect("queued")
        pair.aliceNode.signal(SIGKILL)
        _ = try await pair.aliceNode.end()
        try await send.expectError("the connection to the node was lost; waiting for the node")
        let (_, port) = try await pair.alice.up()
        _ = try await pair.bob.up("--peer", "127.0.0.1:\(port)")
        #expect(try await send.end().lines == ["queued", "sent", "delivered"])
    }

    @Test("and comes back from an older copy: a send waits for its message under its new id, and sends it once")
    func restored() async throws {
        let pair = try await Pair.met()
        let wait = ["--wait", "delivered", "--timeout", "5m"]
        func send(_ text: String) async throws -> [String] {
            try await pair.alice.run(["send", "bob", text] + wait).lines
        }
        func end(_ node: RunningProgram) async throws {
            node.signal(SIGTERM)
            _ = try await node.end()
        }
        #expect(try await send("one").last == "delivered")
        try await end(pair.aliceNode)
        let copy = try HistoryCopy(of: pair.alice)
        let (second, port) = try await pair.alice.up()
        let peer = ["--peer", "127.0.0.1:\(port)"]
        try await end(pair.bobNode)
        let (bobNode, _) = try await pair.bob.up(peer)
        for text in ["two", "three"] { #expect(try await send(text).last == "delivered") }
        try await end(second)
        try copy.restore()
        try await end(bobNode)

        _ = try await pair.alice.up()
        let started = try RunningProgram(["send", "bob", "four", "--home", pair.alice.path] + wait)
        try await started.expect("queued")
        _ = try await pair.bob.up(peer)
        let result = try await started.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.first == "queued" && result.lines.last == "delivered")
        let texts = try await pair.bob.run("history", "alice", "--json").objects().map { $0["text"] as? String }
        #expect(texts == ["one", "two", "three", "four"])
    }

    /// A copy of the database of a home on which no node runs.
    private struct HistoryCopy {
        private let home: TestHome
        private let parts: [String: Data?]

        init(of home: TestHome) throws {
            self.home = home
            parts = try Dictionary(
                uniqueKeysWithValues: ["", "-wal"].map { part in
                    let path = "\(home.path)/history.db\(part)"
                    let isThere = FileManager.default.fileExists(atPath: path)
                    return (part, try isThere ? Data(contentsOf: URL(filePath: path)) : nil)
                })
        }

        func restore() throws {
            for (part, data) in parts {
                let path = "\(home.path)/history.db\(part)"
                if let data {
                    try data.write(to: URL(filePath: path))
                } else if FileManager.default.fileExists(atPath: path) {
                    try FileManager.default.removeItem(atPath: path)
                }
            }
        }
    }
}
