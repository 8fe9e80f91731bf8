import ArgumentParser
import Earshot
import EarshotGateway

struct Save: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Save the files that a message brings along.",
        discussion: """
            Fetches what is not here yet, and waits for it. A file that is there is not overwritten: the copy is then called \
            "name (2)", and so on. Prints the path of each copy.

            Small files of users whom you have written to are fetched when their message comes; others when you save them.

            EXAMPLES:
              earshot save 3fk9qbmj-12
              earshot save 3fk9qbmj-12 ~/Pictures
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The message's id, or its beginning, as history shows it.")
    var message: String

    @Argument(help: "Where the copies go; the current folder unless given.", completion: .directory)
    var folder = "."

    func execute(_ output: Output) async throws {
        let folder = AbsolutePath.of(folder)
        try await Session.with(common.homeDirectory) { session in
            let message = try await session.client.message(message)
            guard !message.attachments.isEmpty else {
                throw Failure(.unknownFile, "the message \(ShortMessageID.shown(message.id)) brings no files along")
            }
            try await session.client.withEvents([.fileUpdated]) { events in
                var events = events.makeAsyncIterator()
                for attachment in message.attachments {
                    try await wait(for: attachment, session.client, &events)
                    let path = try await session.client.saveFile(attachment, to: folder)
                    try output.object(SavedCopy(path: path, name: attachment.name))
                    output.line(SafeText.line(path))
                }
            }
        }
    }

    /// Waits until a file is here, and shows how it comes.
    private func wait(
        for attachment: GatewayAttachment, _ client: GatewayClient, _ events: inout GatewayEvents.AsyncIterator
    ) async throws {
        // The events began before: nothing of what follows is missed.
        var file = try await client.file(attachment.fileID)
        if file.state != "held", file.state != "fetching" { file = try await client.fetchFile(attachment.fileID) }
        let progress = TransferLine(name: attachment.name, byteCount: attachment.byteCount)
        defer { progress.end() }
        while file.state != "held" {
            switch file.state {
            case "failed": throw Failure(.unusableFile, "\(attachment.name) cannot be kept: \(file.reason ?? "")")
            case "declined":
                throw Failure(.fileMissing, "\(attachment.name) was declined meanwhile", remedy: "save it again")
            default: progress.show(file.receivedBytes ?? 0)
            }
            repeat {
                guard let event = try await events.next() else {
                    throw Failure(.connectionLost, "the node has ended; what came of \(attachment.name) is kept")
                }
                if event.isIncomplete { file = try await client.file(attachment.fileID) }
                guard let changed = event.file, changed.id == attachment.fileID else { continue }
                file = changed
                break
            } while true
        }
    }
}

private struct SavedCopy: Encodable {
    let path: String
    let name: String
}
