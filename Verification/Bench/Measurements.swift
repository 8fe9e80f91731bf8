import Foundation

/// The figures of one run.
struct Measurements {
    var verificationsPerSecond = 0.0
    var signaturesPerSecond = 0.0
    var commitRowsPerSecond = 0.0
    var singleCommitMicroseconds = 0.0
    var roundTripMicroseconds = 0.0

    var discoveredMilliseconds = 0.0
    var messagesPerSecond = 0.0
    /// Calls that are under way at once in each of the runs that send one message a call.
    static let oneACallInFlight = [1_024, 64]
    /// Messages a second in those runs; empty if they are left out.
    var oneACallPerSecond: [Double] = []
    var processorMicroseconds = (sender: 0.0, receiver: 0.0)
    var deliveredP50 = 0.0
    var deliveredP99 = 0.0
    var rssIdle = (sender: 0, receiver: 0)
    var rssAfter = (sender: 0, receiver: 0)
    var verification = ""

    /// Whether the receiver has all messages, once and in order.
    var isComplete: Bool { verification.contains(" 0 lost, 0 doubled, 0 out of order") }

    func printTable() {
        row("messages a second, to the last receipt", messagesPerSecond, "")
        row(
            "  of Ed25519 verifications a second, one core", verificationsPerSecond,
            ratio(messagesPerSecond / verificationsPerSecond))
        row(
            "  of rows a second in synced groups of 256", commitRowsPerSecond,
            ratio(messagesPerSecond / commitRowsPerSecond))
        for (inFlight, rate) in zip(Self.oneACallInFlight, oneACallPerSecond) {
            row("messages a second, one a call, \(inFlight) under way", rate, "")
        }
        row("  processor time a message, sender, µs", processorMicroseconds.sender, "")
        row("  processor time a message, receiver, µs", processorMicroseconds.receiver, "")
        row("send to delivered, one at a time, p50, µs", deliveredP50, "")
        row("send to delivered, one at a time, p99, µs", deliveredP99, "")
        row("  of one synced commit, µs", singleCommitMicroseconds, ratio(deliveredP50 / singleCommitMicroseconds))
        row("  of one round trip on loopback, µs", roundTripMicroseconds, ratio(deliveredP50 / roundTripMicroseconds))
        printLatencyParts()
        row("from up to discovered and linked, ms", discoveredMilliseconds, "")
        row("resident memory idle, sender, MiB", Double(rssIdle.sender) / 1_048_576, "")
        row("resident memory idle, receiver, MiB", Double(rssIdle.receiver) / 1_048_576, "")
        row("resident memory after, sender, MiB", Double(rssAfter.sender) / 1_048_576, "")
        row("resident memory after, receiver, MiB", Double(rssAfter.receiver) / 1_048_576, "")
    }

    /// Where the time of one message goes: the unavoidable parts at this machine's speed, and the rest.
    private func printLatencyParts() {
        let commits = 3 * singleCommitMicroseconds
        let signatures = 2e6 / signaturesPerSecond + 2e6 / verificationsPerSecond
        row("  of that: three synced commits, one after another", commits, "sender, receiver, sender")
        row("  of that: two signatures, two verifications", signatures, "checkpoint and receipt")
        row("  of that: one round trip", roundTripMicroseconds, "")
        let rest = deliveredP50 - commits - signatures - roundTripMicroseconds
        row("  the rest: everything else, not broken down", rest, "")
    }

    private func row(_ what: String, _ value: Double, _ note: String) {
        let number = String(format: value < 100 ? "%.1f" : "%.0f", value)
        print(what.padding(toLength: 48, withPad: " ", startingAt: 0) + number.padded(12) + "   " + note)
    }

    private func ratio(_ value: Double) -> String { String(format: "× %.2f", value) }

    var json: String {
        var fields: [(String, Double)] = [
            ("messages_per_second", messagesPerSecond), ("delivered_p50_us", deliveredP50),
            ("delivered_p99_us", deliveredP99), ("rss_idle_bytes", Double(max(rssIdle.sender, rssIdle.receiver))),
            ("rss_after_bytes", Double(max(rssAfter.sender, rssAfter.receiver))),
            ("discovered_ms", discoveredMilliseconds), ("ed25519_verify_per_second", verificationsPerSecond),
            ("ed25519_sign_per_second", signaturesPerSecond), ("commit_rows_per_second", commitRowsPerSecond),
            ("single_commit_us", singleCommitMicroseconds),
            ("loopback_round_trip_us", roundTripMicroseconds),
            ("sender_cpu_us_per_message", processorMicroseconds.sender),
            ("receiver_cpu_us_per_message", processorMicroseconds.receiver),
        ]
        for (inFlight, rate) in zip(Self.oneACallInFlight, oneACallPerSecond) {
            fields.append(("one_a_call_\(inFlight)_per_second", rate))
        }
        let text = fields.map { "\"\($0)\":\(String(format: "%.1f", $1))" }.joined(separator: ",")
        return "{\(text),\"complete\":\(isComplete)}"
    }
}
