import ArgumentParser
import Foundation

/// Two honest nodes talk while one of them is flooded with connections of strangers.
struct Flood: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "An honest pair under a flood of connections before authentication.")

    @Option(help: "Connections a second.") var rate = 2_000
    @Option(help: "Seconds of flood, and as many of quiet beside it.") var seconds = 20
    @Option(help: "Quiet and flood take turns so many times.") var rounds = 4
    @Option(help: "Milliseconds from one message to the next.") var interval = 5
    @Flag(help: "Print one object as the last line.") var json = false

    func validate() throws {
        guard rate > 0, seconds > 0, rounds > 0, interval > 0 else {
            throw ValidationError("every number is greater than zero")
        }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-flood-\(getpid())")
        defer { removeQuietly(folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let receiver = try Child(name: "bob", folder: folder, arguments: ["--no-discovery"])
        let port = try receiver.expect("port")
        let sender = try Child(
            name: "alice", folder: folder, arguments: ["--no-discovery", "--peer", "127.0.0.1:\(port)"])
        _ = try sender.expect("port")
        _ = try sender.expect("linked")
        _ = try receiver.expect("linked")
        var report = FloodReport(rate: rate)
        _ = try talk(sender, seconds: 2)  // Warms both up.
        let phase = Double(seconds) / Double(rounds)
        for _ in 0..<rounds {
            report.quiet.add(try talk(sender, seconds: phase))
            let flooder = try Child(
                ["flooder", "--port", port, "--rate", "\(rate)", "--seconds", "\(phase + 1)"])
            Thread.sleep(forTimeInterval: 0.5)
            report.flooded.add(try talk(sender, seconds: phase))
            report.add(try flooder.expect("flooded"))
            try flooder.end()
        }
        report.residentBytes = receiver.residentBytes
        try sender.end()
        try receiver.end()
        report.printTable()
        if json { print(report.json) }
        print("\(report.passed) passed, \(report.failed) failed")
        guard report.failed == 0 else { throw ExitCode.failure }
    }

    private func talk(_ sender: Child, seconds: Double) throws -> FloodReport.Phase {
        sender.tell("paced \(Int(seconds * 1000) / interval) \(interval)")
        let numbers = try sender.expect("paced").split(separator: " ").compactMap { Double($0) }
        guard numbers.count >= 2 else { throw Child.Unexpected(description: "the sender measured nothing") }
        return FloodReport.Phase(
            sent: Int(numbers[0]), linksLost: Int(numbers[1]), latencies: Array(numbers.dropFirst(2)))
    }
}

/// The effect of a flood on the honest pair.
struct FloodReport {
    struct Phase {
        var sent = 0
        var linksLost = 0
        /// Microseconds from the call to the receipt, of each message that was delivered.
        var latencies: [Double] = []

        var lost: Int { sent - latencies.count }

        mutating func add(_ other: Phase) {
            sent += other.sent
            linksLost += other.linksLost
            latencies = (latencies + other.latencies).sorted()
        }

        func percentile(_ part: Double) -> Double {
            guard !latencies.isEmpty else { return 0 }
            return latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
        }

        var json: String {
            "{\"sent\":\(sent),\"delivered\":\(latencies.count),\"lost\":\(lost),\"linksLost\":\(linksLost),"
                + "\"p50_us\":\(Int(percentile(0.5))),\"p99_us\":\(Int(percentile(0.99))),"
                + "\"max_us\":\(Int(latencies.last ?? 0))}"
        }
    }

    let rate: Int
    var quiet = Phase()
    var flooded = Phase()
    var opened = 0
    var notOpened = 0
    var floodSeconds = 0.0
    /// The memory of the flooded node, at the end.
    var residentBytes = 0

    init(rate: Int) { self.rate = rate }

    mutating func add(_ flood: String) {
        let numbers = flood.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 3 else { return }
        opened += Int(numbers[0])
        notOpened += Int(numbers[1])
        floodSeconds += numbers[2]
    }

    var achievedRate: Double { floodSeconds > 0 ? Double(opened) / floodSeconds : 0 }

    private var checks: [(what: String, holds: Bool)] {
        [
            ("the flood reached \(rate) connections a second", achievedRate >= Double(rate)),
            ("nothing is lost while it is quiet", quiet.sent > 0 && quiet.lost == 0),
            ("nothing is lost under the flood", flooded.sent > 0 && flooded.lost == 0),
            ("the link stood throughout", quiet.linksLost + flooded.linksLost == 0),
        ]
    }

    var passed: Int { checks.count(where: \.holds) }
    var failed: Int { checks.count - passed }

    func printTable() {
        print(
            "flood: \(opened) connections in \(String(format: "%.1f", floodSeconds)) s, "
                + "\(Int(achievedRate)) a second; \(notOpened) did not come about")
        print("".padding(toLength: 32, withPad: " ", startingAt: 0) + "quiet".padded(12) + "flooded".padded(12))
        row("messages sent", Double(quiet.sent), Double(flooded.sent))
        row("delivered", Double(quiet.latencies.count), Double(flooded.latencies.count))
        row("lost", Double(quiet.lost), Double(flooded.lost))
        row("send to delivered, p50, µs", quiet.percentile(0.5), flooded.percentile(0.5))
        row("send to delivered, p99, µs", quiet.percentile(0.99), flooded.percentile(0.99))
        row("send to delivered, longest, µs", quiet.latencies.last ?? 0, flooded.latencies.last ?? 0)
        print("resident memory of the flooded node: \(mebibytes(residentBytes)) MiB")
        for check in checks { print("\(check.holds ? "ok    " : "FAILED") \(check.what)") }
    }

    private func row(_ what: String, _ quiet: Double, _ flooded: Double) {
        print(
            what.padding(toLength: 32, withPad: " ", startingAt: 0) + String(format: "%.0f", quiet).padded(12)
                + String(format: "%.0f", flooded).padded(12))
    }

    var json: String {
        "{\"passed\":\(passed),\"failed\":\(failed),\"rate\":\(String(format: "%.1f", achievedRate)),"
            + "\"connections\":\(opened),\"notOpened\":\(notOpened),\"residentBytes\":\(residentBytes),"
            + "\"quiet\":\(quiet.json),\"flooded\":\(flooded.json)}"
    }
}
