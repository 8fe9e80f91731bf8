import EarshotCrypto
import Foundation

/// A request that notifies a server, signed as Standard Webhooks 1.0.0 says.
struct WebhookRequest: Hashable, Sendable {
    /// The same at each attempt, so that a server can leave out what it has seen.
    let id: String
    /// When the attempt is made, in seconds since 1970.
    let seconds: Int64
    let body: [UInt8]
    let key: [UInt8]

    static let keyBytes = 32

    /// The text of a key, as its user hands it to the server.
    static func secret(_ key: [UInt8]) -> String { "whsec_" + Data(key).base64EncodedString() }

    var headers: [(name: String, value: String)] {
        [
            ("content-type", "application/json"), ("user-agent", "earshot/\(version)"), ("webhook-id", id),
            ("webhook-timestamp", "\(seconds)"), ("webhook-signature", "v1,\(signature)"),
        ]
    }

    private var signature: String {
        Data(HMAC.sha256(of: Array("\(id).\(seconds).".utf8) + body, key: key)).base64EncodedString()
    }

    /// What curl reads with `--config`. The body is none of it: curl takes no line of more than 100 KiB.
    func curlConfiguration(url: String) -> String {
        let options = [("url", url)] + headers.map { ("header", "\($0.name): \($0.value)") }
        return options.map { "\($0.0) = \"\(Self.quoted($0.1))\"\n" }.joined()
    }

    /// What has curl read its settings from the second input that it is given, and the body from the first. Others can see arguments,
    /// so nothing that is secret or long is among them. `-q` leaves the user's own settings out, which may follow redirections to
    /// elsewhere.
    static let curlArguments = ["-q", "--config", "/dev/fd/\(ProgramRun.secondInput)", "--data-binary", "@-"]

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

/// What a server has answered.
enum WebhookAnswer {
    /// Statuses that say that another attempt may do: of these of RFC 9110 the server, and not the request, is the reason.
    private static let temporary: Set<Int> = [408, 425, 429]

    /// - Parameters:
    ///   - status: curl's exit code.
    ///   - output: what it has written: the status of the answer on a line of its own, and what went wrong on another.
    static func outcome(status: Int32, output: String) -> NotificationOutcome {
        let lines = output.split(whereSeparator: \.isNewline)
        let code = lines.lazy.compactMap { Int($0) }.last ?? 0
        guard status == 0 else {
            return .failed(reason: lines.first { Int($0) == nil }.map(String.init) ?? "curl has ended with \(status)")
        }
        return switch code {
        case 200..<300: .taken
        case 300..<500 where !temporary.contains(code): .refused(reason: "the server has answered \(code)")
        default: .failed(reason: "the server has answered \(code)")
        }
    }
}
