import ArgumentParser
import Earshot
import Foundation

/// Measures two node processes on this machine, beside what the machine itself does in the same run.
@main
struct EarshotBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Two nodes on loopback, beside what this machine can do.",
        subcommands: [
            Measure.self, GroupFigures.self, SearchFigures.self, Compare.self, Flood.self, CrowdFigures.self,
            FanIn.self, HubFigures.self, ConversationFigures.self, HistoryFigures.self, MeasuredNode.self,
            CrowdPart.self, Flooder.self, LongHistoryWriter.self,
        ],
        defaultSubcommand: Measure.self)
}

struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Measures.")

    @Option(help: "Messages of the throughput run.") var messages = 100_000
    @Option(help: "Messages that are sent one at a time.") var singles = 2_000
    @Option(help: "Bytes of each message.") var bytes = 100
    @Option(help: "Sends that are under way at once in the throughput run.") var inFlight = 2_048
    @Option(help: "Messages of each of the runs that send one message a call; 0 leaves them out.") var oneACall = 0
    @Flag(help: "Print one object as the last line.") var json = false
    @Flag(help: "Link over a given address instead of DNS-SD, and leave out the time of discovery.")
    var noDiscovery = false

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-bench-\(getpid())")
        defer { removeQuietly(folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var report = Measurements()
        try await Baselines.measure(in: folder, into: &report)

        let receiver = try Child(name: "bob", folder: folder, arguments: noDiscovery ? ["--no-discovery"] : [])
        let port = try receiver.expect("port")
        // The receiver has been on the network for a while when the sender comes up.
        if !noDiscovery { try await Task.sleep(for: .seconds(2)) }
        let sender = try Child(
            name: "alice", folder: folder,
            arguments: noDiscovery ? ["--no-discovery", "--peer", "127.0.0.1:\(port)"] : [])
        _ = try sender.expect("port")
        report.discoveredMilliseconds = Double(try sender.expect("linked")) ?? 0
        _ = try receiver.expect("linked")
        report.rssIdle = (sender.residentBytes, receiver.residentBytes)

        try measureLatency(sender, into: &report)
        try measureThroughput(sender, receiver, into: &report)
        try sender.end()
        try receiver.end()
        report.printTable()
        if json { print(report.json) }
        guard report.isComplete else { throw ExitCode.failure }
    }

    private func measureLatency(_ sender: Child, into report: inout Measurements) throws {
        sender.tell("single 200 \(bytes)")  // Warms both up.
        _ = try sender.expect("latencies")
        sender.tell("single \(singles) \(bytes)")
        let latencies = try sender.expect("latencies").split(separator: " ").compactMap { Double($0) }.sorted()
        report.deliveredP50 = latencies[latencies.count / 2]
        report.deliveredP99 = latencies[latencies.count * 99 / 100]
    }

    private func measureThroughput(_ sender: Child, _ receiver: Child, into report: inout Measurements) throws {
        let before = (sender.processorSeconds, receiver.processorSeconds)
        print("memory during \(messages) messages (resident MiB of sender and receiver):")
        let seconds = try stream(messages, inFlight: inFlight, batch: 64, first: 0, sender) { delivered in
            let memory = "\(mebibytes(sender.residentBytes))  \(mebibytes(receiver.residentBytes))"
            print("  \(delivered.padded(8)) delivered  \(memory)")
        }
        report.messagesPerSecond = Double(messages) / seconds
        report.processorMicroseconds = (
            (sender.processorSeconds - before.0) / Double(messages) * 1e6,
            (receiver.processorSeconds - before.1) / Double(messages) * 1e6
        )
        report.rssAfter = (sender.residentBytes, receiver.residentBytes)
        var sent = messages
        if oneACall > 0 {
            for inFlight in Measurements.oneACallInFlight {
                let seconds = try stream(oneACall, inFlight: inFlight, batch: 1, first: sent, sender) { _ in }
                report.oneACallPerSecond.append(Double(oneACall) / seconds)
                sent += oneACall
            }
        }
        receiver.tell("verify \(sent)")
        report.verification = try receiver.expect("verified")
        print("receiver's history: \(report.verification)")
    }

    /// Seconds from the first call to the receipt that covers the last message.
    private func stream(
        _ count: Int, inFlight: Int, batch: Int, first: Int, _ sender: Child, progress: (String) -> Void
    ) throws -> Double {
        sender.tell("stream \(count) \(bytes) \(inFlight) \(batch) \(first)")
        while true {
            let (word, value) = try sender.next()
            if word == "streamed" { return Double(value) ?? 0 }
            progress(value)
        }
    }
}

func removeQuietly(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
}

func mebibytes(_ bytes: Int) -> String { String(format: "%7.1f", Double(bytes) / 1_048_576) }

extension String {
    func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
