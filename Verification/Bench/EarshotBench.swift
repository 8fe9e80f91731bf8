import ArgumentParser
import Earshot
import Foundation

/// Measures two node processes on this machine, beside what the machine itself does in the same run.
@main
struct EarshotBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Two nodes on loopback, beside what this machine can do.",
        subcommands: [
            Measure.self, GroupFigures.self, SearchFigures.self, Compare.self, Flood.self, MeasuredNode.self,
            Flooder.self, LongHistoryWriter.self,
        ],
        defaultSubcommand: Measure.self)
}

struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Measures.")

    @Option(help: "Messages of the throughput run.") var messages = 100_000
    @Option(help: "Messages that are sent one at a time.") var singles = 2_000
    @Option(help: "Bytes of each message.") var bytes = 100
    @Option(help: "Sends that are under way at once in the throughput run.") var inFlight = 2_048
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
        sender.tell("stream \(messages) \(bytes) \(inFlight)")
        print("memory during \(messages) messages (resident MiB of sender and receiver):")
        while true {
            let (word, value) = try sender.next()
            if word == "streamed" {
                let seconds = Double(value) ?? 0
                report.messagesPerSecond = Double(messages) / seconds
                report.processorMicroseconds = (
                    (sender.processorSeconds - before.0) / Double(messages) * 1e6,
                    (receiver.processorSeconds - before.1) / Double(messages) * 1e6
                )
                break
            }
            print(
                "  \(value.padded(8)) delivered  \(mebibytes(sender.residentBytes))  \(mebibytes(receiver.residentBytes))"
            )
        }
        report.rssAfter = (sender.residentBytes, receiver.residentBytes)
        receiver.tell("verify \(messages)")
        report.verification = try receiver.expect("verified")
        print("receiver's history: \(report.verification)")
    }
}

func removeQuietly(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
}

func mebibytes(_ bytes: Int) -> String { String(format: "%7.1f", Double(bytes) / 1_048_576) }

extension String {
    func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
