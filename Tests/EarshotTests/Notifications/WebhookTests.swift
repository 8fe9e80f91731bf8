import Foundation
import Testing

@testable import Earshot

@Suite("A webhook")
struct WebhookTests {
    @Test("is signed as the vector of Standard Webhooks says")
    func signature() throws {
        let key = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let request = WebhookRequest(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            key: Array(key))
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers["webhook-timestamp"] == "1614265330")
        #expect(WebhookRequest.secret(Array(key)) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    }

    @Test(
        "takes a notification, refuses it for good, or may take it later, by its answer",
        arguments: [
            (0, "204", NotificationOutcome.taken), (0, "200", .taken),
            (0, "400", .refused(reason: "the server has answered 400")),
            (0, "301", .refused(reason: "the server has answered 301")),
            (0, "410", .refused(reason: "the server has answered 410")),
            (0, "408", .failed(reason: "the server has answered 408")),
            (0, "429", .failed(reason: "the server has answered 429")),
            (0, "503", .failed(reason: "the server has answered 503")),
            (7, "curl: (7) no\n000", .failed(reason: "curl: (7) no")),
            (28, "000", .failed(reason: "curl has ended with 28")),
            (0, "", .failed(reason: "the server has answered 0")),
        ])
    func answers(status: Int32, output: String, outcome: NotificationOutcome) {
        #expect(WebhookAnswer.outcome(status: status, output: output + "\n") == outcome)
    }

    private static let texts = [
        "\"quoted\" \\ back\\\"slash\n@/etc/passwd\r\n-K x\u{0}\u{7f}\u{2028}é🙂 url = \"file:///etc/passwd\"",
        // curl takes no line of its settings that is longer than 100 KiB.
        String(repeating: "\"", count: Limits.textBytes), String(repeating: "\u{1}", count: Limits.textBytes),
        String(repeating: "x", count: 4 * Limits.textBytes),
    ]

    @Test("of any text, however long, is what curl sends, byte for byte", arguments: texts)
    func quoting(text: String) async throws {
        var payload = NotificationPayload(type: .message)
        payload.message = NotificationPayload.Message(
            id: "a-1", index: 1, sender: .init(id: "k", name: text), text: text, sentAt: "now", isMention: false)
        let body = try payload.encoded()
        let server = try await OneRequestServer()
        let request = WebhookRequest(id: "a-1", seconds: 1, body: body, key: [1])
        async let received = server.request()
        let result = try await ProgramRun(
            "curl", WebhookRequest.curlArguments + ["--silent", "--show-error", "--max-time", "10"], input: body,
            secondInput: Array(request.curlConfiguration(url: "http://127.0.0.1:\(server.port)/hook").utf8),
            patience: .seconds(20)
        ).result()
        #expect(result == .init(status: 0, output: ""))
        let bytes = try await received
        let head = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
        #expect(Array(bytes[head.upperBound...]) == body)
        #expect(bytes.starts(with: Data("POST /hook HTTP/1.1\r\n".utf8)))
    }
}
