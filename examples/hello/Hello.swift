import Earshot

/// Sends one message and prints its states: `hello HOME NAME TEXT`.
///
/// Make the home directory with `earshot init`; no other node may run on it.
@main
struct Hello {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            print("usage: hello HOME NAME TEXT")
            return
        }
        let node = try await Node.open(Home(path: arguments[1]))
        async let running: Void = node.run()
        // If the node cannot run, its events end and this returns; then `running` throws the reason.
        try await send(arguments[3], to: arguments[2], on: node)
        await node.stop()
        try await running
    }

    static func send(_ text: String, to name: String, on node: Node) async throws {
        let discovered = node.events.events(.userDiscovered)
        // A user whom the node has met before can be written to at once; others must be found first.
        var recipient = await node.users.all.first { $0.name.text == name }
        if recipient == nil { recipient = try await discovered.first { $0.name.text == name } }
        guard let recipient else { return }
        let message = try await node.messages.send(text, to: recipient.userID)
        // What is so already comes first, so it does not matter how quick the other side was.
        for try await change in node.messages.states(of: message.messageID) {
            print(change.state.name)
            switch change.state {
            case .delivered, .handled, .read, .failed: return
            case .queued, .sent: continue
            }
        }
    }
}
