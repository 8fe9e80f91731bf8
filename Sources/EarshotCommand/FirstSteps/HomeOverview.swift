import EarshotGateway

/// What `earshot` alone says where there is an identity: who somebody is, what their node does, and what they may want.
struct HomeOverview {
    enum Node {
        case none
        case running(pid: Int32, status: GatewayStatus, unread: [Int])
        /// There is one, and it does not answer.
        case silent(pid: Int32, reason: String)
    }

    let name: String
    let fingerprint: String
    let node: Node
    /// The home directory, if it was named: it goes with each command.
    let home: String?
    let style: Style

    private static let labelWidth = 6

    var lines: [String] {
        let name = SafeText.line(name)
        let labels = max(DisplayWidth.of(name), Self.labelWidth)
        let widest = commands.map { DisplayWidth.of($0.command) }.max() ?? 0
        return [style.bold(DisplayWidth.pad(name, to: labels)) + "  " + fingerprint]
            + ([("node", nodeText)] + unread).map { label, text in
                style.dim(DisplayWidth.pad(label, to: labels)) + "  " + SafeText.line(text)
            }
            + [""] + commands.map { "  " + DisplayWidth.pad($0.command, to: widest) + "  " + style.dim($0.effect) }
    }

    private var nodeText: String {
        switch node {
        case .none: "does not run"
        case .silent(let pid, let reason): "pid \(pid), does not answer: \(reason)"
        case .running(let pid, let status, _):
            "runs, pid \(pid)\(status.port.map { ", port \($0)" } ?? ""), "
                + Counted.text(status.links.count, "link", "links")
        }
    }

    private var unread: [(String, String)] {
        guard case .running(_, _, let counts) = node else { return [] }
        let sum = counts.reduce(0, +)
        let text =
            sum == 0
            ? "none"
            : "\(Counted.text(sum, "message", "messages")) in "
                + Counted.text(counts.count { $0 > 0 }, "conversation", "conversations")
        return [("unread", text)]
    }

    private var commands: [(command: String, effect: String)] {
        let words: [(String, String)] =
            switch node {
            case .none:
                [
                    ("up --detach", "starts the node, in the background"),
                    ("service install", "or as a service, from each login on"),
                ]
            case .silent: [("doctor", "says what is wrong")]
            case .running(_, _, let counts):
                [("web", "opens the page in a browser"), ("users", "who is here")]
                    + (counts.contains { $0 > 0 } ? [("inbox", "what you have not read")] : [])
            }
        let always = [("chat", "talks on this terminal"), ("send NAME \"TEXT\"", "sends a message")]
        let option = home.map { " --home \(ShellWord.quote($0))" } ?? ""
        return (words + always).map { ("earshot \($0.0)\(option)", $0.1) }
            + [("earshot --help", "lists every command")]
    }
}
