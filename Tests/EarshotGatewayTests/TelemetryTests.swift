import Earshot
import EarshotGateway
import Foundation
import Logging
import Synchronization
import Testing

@Suite("What a node tells of itself")
struct TelemetryTests {
    @Test("is at GET /v1/metrics, in Prometheus' text, for the same clients as the rest")
    func metrics() async throws {
        try await TestNode.pair { alice, bob in
            let sent = try await alice.client.send("hello", to: "bob")
            try await alice.wait(for: "delivered", of: sent.id)
            let text = try await alice.client.metrics()
            #expect(text.contains("# TYPE earshot_links gauge\nearshot_links 1\n"))
            #expect(text.contains("\nearshot_messages_accepted_total 1\n"))
            let raw = try await RawRequest(path: "/v1/metrics").send(to: alice.node.home.socketFile)
            #expect(raw.status == 200)
            withExtendedLifetime(bob) {}
        }
    }

    @Test("is not there where the program has its own metrics, and the error says so")
    func otherMetrics() async throws {
        try await TestNode.with("alice", metrics: nil) { alice in
            let error = await #expect(throws: GatewayError.self) { try await alice.client.metrics() }
            #expect(error?.code == .unknownEndpoint && error?.message.contains("metrics of its own") == true)
        }
    }

    /// At the lowest level, with the local API and its libraries on the same logger.
    @Test("has no text of a message, no header and no secret in it, whatever happens and however much is logged")
    func secrets() async throws {
        let records = RecordedLog()
        let marker = "marker-\(UUID().uuidString)"
        let key = NetworkKey.generate()
        let secrets = try await TestNode.with("alice", log: records, networkKey: key) { alice in
            try await TestNode.with("bob", peers: [alice.port], log: records, networkKey: key) { bob in
                for node in [alice, bob] { try await node.waitForLink() }
                let sent = try await alice.client.send(marker, to: "bob", headers: ["marker": marker])
                try await alice.wait(for: "delivered", of: sent.id)
                try await bob.client.markRead(upTo: sent.id, with: "alice")
                _ = try await bob.client.history(with: "alice")
                await #expect(throws: GatewayError.self) { try await alice.client.send(marker, to: marker) }
                try await alice.client.decide(.block, about: "bob")
                await #expect(throws: GatewayError.self) { try await alice.client.send(marker, to: "bob") }
                _ = try await alice.client.diagnosis()
                return try Self.secrets(of: alice.node.home) + Self.secrets(of: bob.node.home)
            }
        }
        let lines = records.lines
        #expect(lines.contains { $0.contains("link is up") })
        #expect(lines.contains { $0.contains("link is down") && $0.contains("reason=blocked") })
        #expect(!secrets.isEmpty)
        for line in lines { #expect(!line.contains(marker), "\(line)") }
        let text = Data(lines.joined(separator: "\n").utf8)
        #expect(secrets.allSatisfy { text.range(of: $0) == nil })
    }

    /// Every 32 bytes of the files that nobody else may read: one of them is each key, or its text.
    private static func secrets(of home: Home) throws -> [Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.hasSuffix(".key") }
        #expect(names.count == 3)
        return try names.flatMap { name in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: home.path).appending(path: name)))
            try #require((32...1024).contains(bytes.count))
            return (0...bytes.count - 32).flatMap { forms(of: Data(bytes[$0..<$0 + 32])) }
        }
    }

    /// A secret as it is, and as somebody may have written it.
    private static func forms(of secret: Data) -> [Data] {
        let hex = secret.map { String(format: "%02x", $0) }.joined()
        return [secret] + [hex, secret.base64EncodedString(), "\(Array(secret))"].map { Data($0.utf8) }
    }
}

/// All that was logged, as lines.
final class RecordedLog: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock(\.self) }

    var logger: Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(log: self) })
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.map { "\($0)=\($1)" }.sorted()
            log.written.withLock { $0.append("\(event.level) \(event.message) \(all.joined(separator: " "))") }
        }
    }
}
