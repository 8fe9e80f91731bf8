import Earshot
import EarshotGateway
import Foundation

/// What is done for each message that arrives while a node runs: a line says who has written; and as `earshot up` was
/// asked, a program of the user's is run, a notification is shown, the bell rings. The line may be kept in a log, so it
/// has nothing of what was written.
struct Arrivals: Sendable {
    struct Item: Sendable {
        let message: GatewayMessage
        /// The sender, as shown.
        let sender: String
        /// The conversation of many, as shown; `nil` for a direct one.
        var conversation: String?
        /// Whether the user wants to be notified of it.
        var notifies = true

        fileprivate var announcement: String { conversation.map { "has written in \($0)" } ?? "has written to you" }
    }

    /// The program that gets each message on its standard input.
    let program: String?
    let isNotifying: Bool
    let isRinging: Bool
    let output: Output

    /// How many programs run at once. More messages wait.
    private static let atOnce = 4
    /// How many messages wait. What does not fit is left out, and counted.
    static let waiting = 256
    /// A program that takes longer is killed.
    private static let patience = Duration.seconds(300)

    /// Runs the programs until there are no more messages, or the task is cancelled. Then programs that still run are
    /// told to end.
    func run(_ messages: AsyncStream<Item>) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await item in messages {
                announce(item)
                if isRinging, item.notifies { output.control("\u{7}") }
                for job in jobs(item) {
                    if running == Self.atOnce { await group.next() } else { running += 1 }
                    do {
                        // Started here, so that programs get messages in their order.
                        let started = try job.start()
                        group.addTask { await finish(started, job.path) }
                    } catch {
                        output.report(Failure(error))
                        running -= 1
                    }
                }
            }
            group.cancelAll()
        }
    }

    private struct Record: Encodable {
        let name = EventName.messageReceived.rawValue
        let id: String
        let sender: GatewayParty
        let conversationID: String
        /// Of a conversation of many, without the `#`.
        let conversationName: String?
    }

    private func announce(_ item: Item) {
        output.line("\(item.sender) \(item.announcement)")
        let record = Record(
            id: item.message.id, sender: item.message.sender, conversationID: item.message.conversationID,
            conversationName: item.message.conversationName)
        do { try output.object(record) } catch {
            output.note("a message cannot be written as JSON: \(error)")
        }
    }

    /// The text of a message is no argument, because other users of the machine see those.
    private func jobs(_ item: Item) -> [ProgramRun] {
        guard item.notifies else { return [] }
        var jobs: [ProgramRun] = []
        if let program {
            do {
                let input = Array((try Output.encode(item.message) + "\n").utf8)
                jobs.append(ProgramRun(program, input: input, patience: Self.patience, keepsOutput: false))
            } catch { output.note("a message cannot be written as JSON: \(error)") }
        }
        if isNotifying {
            jobs.append(
                ProgramRun(
                    "notify-send", ["--app-name=Earshot", "--", item.sender, item.announcement], patience: Self.patience
                ))
        }
        return jobs
    }

    private func finish(_ started: ProgramRun.Started, _ path: String) async {
        let status = await started.result().status
        if status != 0 { output.note("\(path) has ended with \(status)") }
    }
}
