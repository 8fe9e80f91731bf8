import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct Network: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Keep others out: make, join, leave or show the key of a network.",
        discussion: """
            Nodes that share a network key link to each other and to nobody else. A node without one links to every \
            node on the local network that has none either. A change takes effect the next time that the node starts.

            EXAMPLES:
              earshot network create
              earshot network join
              earshot network join --key-file FILE
              earshot network show
            """,
        subcommands: [NetworkCreate.self, NetworkJoin.self, NetworkLeave.self, NetworkShow.self])
}

/// Describes the network key of a home directory.
private struct NetworkRecord: Encodable {
    /// Left out without a network key.
    let tag: String?
    let key: String?
    let hasKey: Bool
    /// Whether the command changed it.
    let isChanged: Bool
    /// The node that runs on the home directory. A change takes effect when it starts the next time.
    let pid: Int32?

    init(_ key: NetworkKey?, isRevealed: Bool = false, isChanged: Bool, home: Home) {
        tag = key?.tag
        self.key = isRevealed ? key?.text : nil
        hasKey = key != nil
        self.isChanged = isChanged
        pid = Session.pid(of: home)
    }

    /// Says when a change takes effect, if a node runs.
    func noteRunningNode(on output: Output) {
        guard isChanged, let pid else { return }
        output.note("the running node (pid \(pid)) stays in its present network until it is restarted: restart it")
    }
}

struct NetworkCreate: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a network key, and print it for the others.",
        discussion: """
            Everybody who has the key is in. To keep somebody out later, make a new key and give it to all others.

            EXAMPLES:
              earshot network create
              earshot network create --json | jq -r .key
            """)

    @OptionGroup var common: CommonOptions

    @Flag(name: .customLong("replace"), help: "Replace the existing network key, which is lost.")
    var isReplacing = false

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        let key = try home.createNetworkKey(replacing: isReplacing)
        let record = NetworkRecord(key, isRevealed: true, isChanged: true, home: home)
        output.line("made the network \(key.tag); its key is:\n\n  \(key.text)\n")
        output.line("Everybody who has the key is in. Hand it over in person, or through an encrypted channel, and")
        output.line("not by mail. On each other machine: earshot network join, which asks for it.")
        try output.object(record)
        record.noteRunningNode(on: output)
    }
}

struct NetworkJoin: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join the network of a key that somebody gave you.",
        discussion: """
            Asks for the key on the terminal without showing it, or reads it from standard input. Case, blanks, dashes \
            and line breaks do not matter.

            EXAMPLES:
              earshot network join
              earshot network join --key-file ~/network-key
              ssh alice@other earshot network show --reveal --json | jq -r .key | earshot network join
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: ArgumentHelp("Take the key from a file of mode 600.", valueName: "file"))
    var keyFile: String?

    @Flag(name: .customLong("replace"), help: "Replace another existing network key, which is lost.")
    var isReplacing = false

    @Argument(help: .hidden)
    var arguments: [String] = []

    func validate() throws {
        guard arguments.isEmpty else {
            throw ValidationError(
                """
                A network key is never taken from an argument: other users of this machine can see those, and the \
                shell remembers them. Run "earshot network join" and type it, or use --key-file. If others may have \
                seen this one, make a new key: earshot network create --replace
                """)
        }
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        // Nobody types a key for a home that cannot take it.
        try home.check()
        let key = try read()
        let isChanged = try home.joinNetwork(key, replacing: isReplacing)
        let record = NetworkRecord(key, isChanged: isChanged, home: home)
        output.line(isChanged ? "joined the network \(key.tag)" : "this is the network \(key.tag) already")
        try output.object(record)
        record.noteRunningNode(on: output)
    }

    private func read() throws -> NetworkKey {
        if let keyFile { return try NetworkKey(file: keyFile) }
        guard StandardInput.isTerminal else { return try NetworkKey(readingFrom: STDIN_FILENO) }
        return try HiddenPrompt.onTerminal("network key", alternative: "use --key-file") { terminal in
            try HiddenPrompt.ask("Network key: ", on: terminal) { try NetworkKey(readingFrom: $0, isLine: true) }
        }
    }
}

struct NetworkLeave: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Forget the network key, and link to nodes without one.",
        discussion: """
            Removes the key from this machine. Others who have it stay in the network. Only they can give it back to \
            you: to keep it, write it down before (earshot network show --reveal). On a terminal it asks first; \
            elsewhere it needs --yes.

            EXAMPLES:
              earshot network leave
              earshot network leave --yes
            """)

    @OptionGroup var common: CommonOptions

    @Flag(name: .customLong("yes"), help: "Do not ask.")
    var isSure = false

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        if let key = try home.networkKey() { try await confirm(key) }
        let isChanged = try home.leaveNetwork()
        let record = NetworkRecord(nil, isChanged: isChanged, home: home)
        output.line(isChanged ? "left the network: its key is no longer here" : "there was no network key")
        try output.object(record)
        record.noteRunningNode(on: output)
    }

    private func confirm(_ key: NetworkKey) async throws {
        guard !isSure else { return }
        guard Confirmation.isPossible else {
            throw Failure(
                .notConfirmed, "there is no terminal to ask on, and the network key is still here",
                remedy: "say --yes if you are sure that you have the key elsewhere, or need it no more; "
                    + "to see it: earshot network show --reveal")
        }
        let question =
            "Forget the key of the network \(key.tag)? It cannot be got back from here; to keep it, see it first: "
            + "earshot network show --reveal."
        guard try await Confirmation.ask(question) else {
            throw Failure(.notConfirmed, "the network key is still here")
        }
    }
}

struct NetworkShow: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say whether there is a network key, and which.",
        discussion: """
            Machines of one network show the same tag. The tag is no secret; the key is.

            EXAMPLES:
              earshot network show
              earshot network show --reveal
            """)

    @OptionGroup var common: CommonOptions

    @Flag(name: .customLong("reveal"), help: "Print the key too.")
    var isRevealed = false

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        let key = try home.networkKey()
        try output.object(NetworkRecord(key, isRevealed: isRevealed, isChanged: false, home: home))
        if let key {
            output.line("network \(key.tag)")
            if isRevealed { output.line(key.text) }
        } else {
            output.line("no network key: this node links to every node here that has none either")
        }
        try await noteOtherNetwork(of: home, key, on: output)
    }

    /// A node that was started before the change is still in the old network.
    private func noteOtherNetwork(of home: Home, _ key: NetworkKey?, on output: Output) async throws {
        guard Session.pid(of: home) != nil else { return }
        let status = try await Session.with(home) { try await $0.client.status() }
        guard status.networkTag != key?.tag else { return }
        let network = status.networkTag.map { "is in the network \($0)" } ?? "has no network key"
        output.note("the running node \(network), because the key was changed after it started: restart it")
    }
}
