import ArgumentParser
import Foundation

/// The figures of one run of the benchmark by which two versions are compared.
struct Run: Decodable, Equatable {
    let throughput: Double
    /// For one message at a time, from sending to *delivered*; in microseconds.
    let medianLatency: Double

    private enum CodingKeys: String, CodingKey {
        case throughput = "messages_per_second"
        case medianLatency = "delivered_p50_us"
    }
}

/// Runs of two versions, taken in turns. Each run is compared with the one beside it, so changes on the machine meet
/// both.
struct Comparison {
    /// In both ratios, a number above 1 means that the new version is better.
    let throughput: Spread
    let medianLatency: Spread

    /// - Parameter pairs: at least one.
    init(_ pairs: [(old: Run, new: Run)]) {
        throughput = Spread(pairs.map { $0.new.throughput / $0.old.throughput })
        medianLatency = Spread(pairs.map { $0.old.medianLatency / $0.new.medianLatency })
    }

    func printTable() {
        print("ratio, above 1 is better".padding(toLength: 34, withPad: " ", startingAt: 0), terminator: "")
        print(["median", "min", "quartile", "quartile", "max", "pairs"].map { $0.padded(9) }.joined())
        row("throughput, new by old", throughput)
        row("median latency, old by new", medianLatency)
    }

    private func row(_ what: String, _ spread: Spread) {
        let numbers = [
            spread.median, spread.minimum, spread.lowerQuartile, spread.upperQuartile, spread.maximum,
        ]
        print(
            what.padding(toLength: 34, withPad: " ", startingAt: 0)
                + numbers.map { String(format: "%.3f", $0).padded(9) }.joined() + "\(spread.count)".padded(9))
    }

    var json: String { "{\"throughput\":\(throughput.json),\"median_latency\":\(medianLatency.json)}" }
}

/// The distribution of numbers: the median, the quartiles, the ends.
struct Spread: Equatable {
    private let sorted: [Double]

    /// - Parameter numbers: at least one.
    init(_ numbers: [Double]) {
        precondition(!numbers.isEmpty, "a spread is one of numbers")
        sorted = numbers.sorted()
    }

    var count: Int { sorted.count }
    var minimum: Double { quantile(0) }
    var lowerQuartile: Double { quantile(0.25) }
    var median: Double { quantile(0.5) }
    var upperQuartile: Double { quantile(0.75) }
    var maximum: Double { quantile(1) }

    /// Between two numbers in proportion (Hyndman and Fan 1996, definition 7).
    private func quantile(_ share: Double) -> Double {
        let place = share * Double(sorted.count - 1)
        let below = Int(place)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    fileprivate var json: String {
        let fields = [
            ("median", median), ("min", minimum), ("lower_quartile", lowerQuartile),
            ("upper_quartile", upperQuartile), ("max", maximum),
        ]
        let text = fields.map { "\"\($0)\":\(String(format: "%.4f", $1))" }.joined(separator: ",")
        return "{\(text),\"pairs\":\(count)}"
    }
}

struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares two versions.",
        discussion: "Reads the last line of each `run --json`, by turns: old, new, old, new.")

    @Flag(help: "Print one object as the last line.") var json = false

    func run() async throws {
        var runs: [Run] = []
        while let line = readLine() { runs.append(try JSONDecoder().decode(Run.self, from: Data(line.utf8))) }
        guard !runs.isEmpty, runs.count.isMultiple(of: 2) else {
            throw ValidationError("\(runs.count) runs are no pairs")
        }
        let comparison = Comparison(stride(from: 0, to: runs.count, by: 2).map { (runs[$0], runs[$0 + 1]) })
        comparison.printTable()
        if json { print(comparison.json) }
    }
}
