import CoreMetrics
import Synchronization

enum PrometheusKind: String { case counter, gauge, histogram }

/// All series of one name.
struct PrometheusFamily: Sendable {
    let name: String
    let help: String
    let kind: PrometheusKind
    /// By their labels, as they are written out.
    var series: [String: any PrometheusInstrument] = [:]
}

/// Something that measures.
protocol PrometheusInstrument: AnyObject, Sendable {
    func write(_ name: String, labels: String, to text: inout PrometheusText)
}

/// It only ever grows.
final class PrometheusCounter: CounterHandler, PrometheusInstrument {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, labels: String, to text: inout PrometheusText) {
        text.sample(name, labels: labels, value: Double(count.load(ordering: .relaxed)))
    }
}

/// A counter of parts.
final class PrometheusSum: FloatingPointCounterHandler, PrometheusInstrument {
    private let sum = Mutex(0.0)

    func increment(by amount: Double) { sum.withLock { $0 += amount } }
    func reset() { sum.withLock { $0 = 0 } }

    func write(_ name: String, labels: String, to text: inout PrometheusText) {
        text.sample(name, labels: labels, value: sum.withLock(\.self))
    }
}

/// It goes up and down.
final class PrometheusGauge: MeterHandler, RecorderHandler, PrometheusInstrument {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, labels: String, to text: inout PrometheusText) {
        text.sample(name, labels: labels, value: value.withLock(\.self))
    }
}

/// Counts how often a value was at most so large. A timer's values are seconds.
final class PrometheusHistogram: RecorderHandler, TimerHandler, PrometheusInstrument {
    private struct State {
        /// For each bucket, the values that fit into no earlier bucket; the last counts those that fit into none.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let buckets: [Double]
    private let state: Mutex<State>

    /// - Parameter buckets: upper bounds, ascending.
    init(buckets: [Double]) {
        self.buckets = buckets
        state = Mutex(State(counts: [UInt64](repeating: 0, count: buckets.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        let place = buckets.firstIndex { value <= $0 } ?? buckets.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    func write(_ name: String, labels: String, to text: inout PrometheusText) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        for (count, bound) in zip(counts, buckets + [.infinity]) {
            total += count
            let bucket = #"le="\#(PrometheusText.number(bound))""#
            text.sample(name + "_bucket", labels: labels.isEmpty ? bucket : "\(labels),\(bucket)", value: Double(total))
        }
        text.sample(name + "_sum", labels: labels, value: sum)
        text.sample(name + "_count", labels: labels, value: Double(total))
    }
}
