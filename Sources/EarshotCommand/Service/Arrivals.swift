import Dispatch
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
                if isRinging { output.control("\u{7}") }
                for job in jobs(item) {
                    if running == Self.atOnce { await group.next() } else { running += 1 }
                    do {
                        // Children are started one after the other, so that none gets the pipe of another.
                        let (child, pipe) = try start(job)
                        group.addTask { await finish(child, pipe, job) }
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

    private struct Job: Sendable {
        let program: String
        let arguments: [String]
        let input: Data
    }

    /// The text of a message is no argument, because other users of the machine see those.
    private func jobs(_ item: Item) -> [Job] {
        var jobs: [Job] = []
        if let program {
            do {
                let input = Data((try Output.encode(item.message) + "\n").utf8)
                jobs.append(Job(program: program, arguments: [], input: input))
            } catch { output.note("a message cannot be written as JSON: \(error)") }
        }
        if isNotifying {
            jobs.append(
                Job(
                    program: "notify-send", arguments: ["--app-name=Earshot", "--", item.sender, item.announcement],
                    input: Data()))
        }
        return jobs
    }

    private func start(_ job: Job) throws(Failure) -> (ChildProgram, Int32) {
        let (reading, writing) = try ChildProgram.pipe()
        defer { close(reading) }
        do throws(Failure) {
            return (
                try ChildProgram(job.program, job.arguments, descriptors: [reading, STDERR_FILENO, STDERR_FILENO]),
                writing
            )
        } catch {
            close(writing)
            throw error
        }
    }

    private func finish(_ child: ChildProgram, _ pipe: Int32, _ job: Job) async {
        DispatchQueue.global().async {
            Self.write(job.input, to: pipe)
            close(pipe)
        }
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            kill(child.pid, SIGKILL)
        }
        let status = await withTaskCancellationHandler {
            await child.end()
        } onCancel: {
            _ = kill(child.pid, SIGTERM)
        }
        timer.cancel()
        if status != 0 { output.note("\(job.program) has ended with \(status)") }
    }

    /// A program need not read its input.
    private static func write(_ data: Data, to pipe: Int32) {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
