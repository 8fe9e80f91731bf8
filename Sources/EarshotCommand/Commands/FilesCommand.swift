import ArgumentParser
import Earshot
import EarshotGateway

struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "See the files that messages bring along, and say which are fetched.",
        discussion: """
            Small files of users whom you have written to are fetched when their message comes. Others wait until you save \
            or fetch them. Rules change that: the first one that fits a file decides.

            EXAMPLES:
              earshot files
              earshot files fetch 3fk9qbmj-12
              earshot files remove 3fk9qbmj-12
              earshot files rule add fetch --from bob --type 'image/*' --to ~/Pictures
              earshot files rule add refuse --up-to 10kB
              earshot files rule list
              earshot files quota 20GB
            """,
        subcommands: [
            FilesList.self, FilesFetch.self, FilesDecline.self, FilesRemove.self, FilesRule.self, FilesQuota.self,
        ],
        defaultSubcommand: FilesList.self)
}

struct FilesList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the files of the last messages, and the room that files take.",
        discussion: """
            EXAMPLES:
              earshot files list
              earshot files list --limit 1000 --json | jq -r 'select(.state == "waiting") | .name'
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: "How many files, at most 1000.")
    var limit = 50

    private struct Room: Encodable {
        let heldCount: Int
        let heldBytes: UInt64
        let quotaBytes: UInt64?
        let freeBytes: UInt64
    }

    func execute(_ output: Output) async throws {
        let limit = limit
        let list = try await Session.with(common.homeDirectory) { try await $0.client.files(limit: limit) }
        for file in list.files { try output.object(file) }
        if !list.files.isEmpty {
            let table = Table(
                titles: ["STATE", "SIZE", "FROM", "MESSAGE", "NAME"],
                rows: list.files.map { cells(of: $0, output.style) })
            for line in table.lines(output.style) { output.line(line) }
        }
        let quota = list.quotaBytes.map { " of the quota of \(ByteText.of($0))" } ?? ""
        output.line(
            "\(Counted.text(list.heldCount, "file", "files")) here, \(ByteText.of(list.heldBytes))\(quota); \(ByteText.of(list.freeBytes)) left"
        )
    }

    private func cells(of file: GatewaySharedFile, _ style: Style) -> [Table.Cell] {
        [
            Table.Cell(text: Self.state(of: file)) { file.state == "failed" ? style.red($0) : $0 },
            Table.Cell(text: ByteText.of(file.byteCount)),
            Table.Cell(text: SafeText.line(file.sender.name ?? String(file.sender.id.prefix(8)))),
            Table.Cell(text: ShortMessageID.shown(file.messageID)),
            Table.Cell(text: SafeText.line(file.name)),
        ]
    }

    private static func state(of file: GatewaySharedFile) -> String {
        switch file.state {
        case "fetching": "\((file.receivedBytes ?? 0) * 100 / max(file.byteCount, 1)) %"
        case "held":
            file.owedCopies?.last.map {
                "here; the copy for \(SafeText.line($0.folder)) waits: \(SafeText.line($0.reason ?? "it is made now"))"
            } ?? "here"
        case "failed": "failed: \(SafeText.line(file.reason ?? ""))"
        default: file.state
        }
    }
}

/// The argument that names a message with files.
struct FilesOfMessage: ParsableArguments {
    @Argument(help: "The message's id, or its beginning, as history shows it.")
    var message: String

    /// Does something with each file of the message.
    fileprivate func each(
        _ common: CommonOptions, _ body: @escaping @Sendable (GatewayClient, GatewayAttachment) async throws -> Void
    ) async throws -> [GatewayAttachment] {
        let message = message
        return try await Session.with(common.homeDirectory) { session in
            let message = try await session.client.message(message)
            guard !message.attachments.isEmpty else {
                throw Failure(.unknownFile, "the message \(ShortMessageID.shown(message.id)) brings no files along")
            }
            for attachment in message.attachments { try await body(session.client, attachment) }
            return message.attachments
        }
    }
}

struct FilesFetch: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the files of a message, whatever their size, and do not wait for them.",
        discussion: """
            The node goes on with it whenever somebody who has them is there: see "earshot files". To wait and get copies, \
            use "earshot save".

            EXAMPLES:
              earshot files fetch 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var files: FilesOfMessage

    func execute(_ output: Output) async throws {
        let attachments = try await files.each(common) { try await $0.fetchFile($1.fileID) }
        for attachment in attachments { output.line("is fetched: \(SafeText.line(attachment.name))") }
    }
}

struct FilesDecline: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Do not fetch the files of a message, or not any more.",
        discussion: """
            What came of them is dropped. Those that are here whole stay.

            EXAMPLES:
              earshot files decline 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var files: FilesOfMessage

    func execute(_ output: Output) async throws {
        let attachments = try await files.each(common) { try await $0.declineFile($1.fileID) }
        for attachment in attachments { output.line("is not fetched: \(SafeText.line(attachment.name))") }
    }
}

struct FilesRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove the files of a message from this disk.",
        discussion: """
            The message stays, and as long as somebody else has the files, they can be fetched again. Copies that you have \
            saved stay. To erase the message too, use "earshot erase".

            EXAMPLES:
              earshot files remove 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var files: FilesOfMessage

    func execute(_ output: Output) async throws {
        let attachments = try await files.each(common) { try await $0.removeFile($1.fileID) }
        for attachment in attachments { output.line("removed: \(SafeText.line(attachment.name))") }
    }
}

struct FilesRule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Say which files are fetched by themselves, and where copies go.",
        discussion: """
            The first rule that fits a file decides. Where none does, files of at most 64 MiB are fetched, unless they are a \
            stranger's. A rule without --from fetches nothing of strangers.

            EXAMPLES:
              earshot files rule add fetch --from bob --up-to 2GB
              earshot files rule add ask --type 'video/*'
              earshot files rule list
              earshot files rule remove 1
            """,
        subcommands: [FilesRuleAdd.self, FilesRuleList.self, FilesRuleRemove.self])
}

struct FilesRuleAdd: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a rule, behind those that there are.",
        discussion: """
            A rule is for files that come from now on; with --also-waiting, for those that wait already, too.

            DECISIONS:
              fetch   they are fetched when their message comes; with --to, copies are put into a folder
              ask     they wait until you fetch them
              refuse  they are not fetched, as if you had declined each of them

            EXAMPLES:
              earshot files rule add fetch --from bob --type 'image/*' --to ~/Pictures
              earshot files rule add ask --type 'video/*'
              earshot files rule add refuse --from mallory
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "fetch, ask or refuse.", completion: .list(["fetch", "ask", "refuse"]))
    var decision: String

    @Option(
        help: ArgumentHelp("Whose files; everybody's without it.", valueName: "user"),
        completion: UserArgument.completion)
    var from: String?

    @Option(help: ArgumentHelp("What their senders say that they are: image/png, or 'image/*'.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("How large they are at most: 20MB.", valueName: "size"))
    var upTo: ByteCount?

    @Option(help: ArgumentHelp("Where copies go once they are here.", valueName: "folder"), completion: .directory)
    var to: String?

    @Flag(help: "Not only for files that come from now on: also for those that wait already.")
    var alsoWaiting = false

    func execute(_ output: Output) async throws {
        let rule = FileRuleRequest(
            decision: decision, sender: from, mediaType: type, largest: upTo?.bytes, folder: to.map(AbsolutePath.of))
        let rules = try await Session.with(common.homeDirectory) { session in
            var rules = FileRulesRequest(try await session.client.fileRules())
            rules.rules.append(rule)
            rules.areForWaiting = alsoWaiting ? true : nil
            return try await session.client.setFileRules(rules)
        }
        try FilesRuleList.show(rules, output)
        if let rule = rules.rules.last, let folder = rule.folder, let problem = rule.folderProblem {
            output.note("\(SafeText.line(folder)) \(problem): copies wait until it takes them")
        }
        if decision == "fetch", from == nil {
            output.note("a rule for everybody's files fetches none of strangers: for one of them name them with --from")
        }
    }
}

struct FilesRuleList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules, in the order in which they are tried.",
        discussion: """
            EXAMPLES:
              earshot files rule list
              earshot files rule list --json
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        try Self.show(try await Session.with(common.homeDirectory) { try await $0.client.fileRules() }, output)
    }

    fileprivate static func show(_ rules: GatewayFileRules, _ output: Output) throws {
        for rule in rules.rules { try output.object(rule) }
        guard !rules.rules.isEmpty else {
            output.line("no rules: files of at most 64 MiB are fetched, unless they are a stranger's")
            return
        }
        let table = Table(
            titles: ["RULE", "WHAT", "FROM", "TYPE", "UP TO", "COPIES"],
            rows: rules.rules.enumerated().map { cells(of: $0.element, number: $0.offset + 1) })
        for line in table.lines(output.style) { output.line(line) }
    }

    private static func cells(of rule: GatewayFileRule, number: Int) -> [Table.Cell] {
        let sender = rule.sender.map { $0.name ?? String($0.id.prefix(8)) }
        let texts: [String] = [
            String(number), rule.decision, sender ?? "everybody", rule.mediaType ?? "any",
            rule.largest.map(ByteText.of) ?? "any size", rule.folder ?? "none",
        ]
        return texts.map { Table.Cell(text: SafeText.line($0)) }
    }
}

struct FilesRuleRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule.",
        discussion: """
            EXAMPLES:
              earshot files rule remove 1
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The rule's number: earshot files rule list.")
    var number: Int

    func execute(_ output: Output) async throws {
        let number = number
        let rules = try await Session.with(common.homeDirectory) { session in
            var rules = FileRulesRequest(try await session.client.fileRules())
            guard rules.rules.indices.contains(number - 1) else {
                throw Failure(
                    .invalidRule, "there is no rule \(number), and \(rules.rules.count) in all",
                    remedy: "see them: earshot files rule list")
            }
            rules.rules.remove(at: number - 1)
            return try await session.client.setFileRules(rules)
        }
        try FilesRuleList.show(rules, output)
    }
}

struct FilesQuota: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota", abstract: "Say how much room all files together may take.",
        discussion: """
            A file that does not fit is not fetched, and "earshot files" says why. Those that are here stay.

            EXAMPLES:
              earshot files quota 20GB
              earshot files quota none
              earshot files quota
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "A size such as 20GB, or none; without it, the present one is shown.", transform: Self.read)
    var size: Size?

    enum Size {
        case none
        case bytes(UInt64)
    }

    @Sendable private static func read(_ text: String) throws -> Size {
        if text == "none" { return Size.none }
        guard let count = ByteCount(argument: text) else {
            throw ValidationError("\"\(SafeText.line(text))\" is no size, such as 20GB.")
        }
        return .bytes(count.bytes)
    }

    func execute(_ output: Output) async throws {
        let size = size
        let rules = try await Session.with(common.homeDirectory) { session in
            let rules = try await session.client.fileRules()
            var changed = FileRulesRequest(rules)
            switch size {
            case nil: return rules
            case Size.none?: changed.quotaBytes = nil
            case .bytes(let bytes)?: changed.quotaBytes = bytes
            }
            return try await session.client.setFileRules(changed)
        }
        try output.object(rules)
        output.line(rules.quotaBytes.map { "all files together may have \(ByteText.of($0))" } ?? "no quota")
    }
}
