import CoreMetrics
import EarshotProtocol

/// A node's metrics. Each instrument is made once; one with a reason is made when that reason first occurs.
struct NodeMetrics {
    private let factory: any MetricsFactory
    private var counters: [String: any CounterHandler] = [:]
    private var gauges: [NodeMetric: any RecorderHandler] = [:]
    private let commitDuration: any TimerHandler
    private let commitEntries: any RecorderHandler

    /// Counters without a reason exist from the beginning: what has not happened is a zero.
    init(_ factory: any MetricsFactory) {
        self.factory = factory
        commitDuration = factory.makeTimer(label: NodeMetric.commitDuration.rawValue, dimensions: [])
        commitEntries = factory.makeRecorder(
            label: NodeMetric.commitEntries.rawValue, dimensions: [], aggregate: true)
        for metric in Self.plain { add(0, to: metric) }
    }

    private static let plain: [NodeMetric] = [
        .linksEstablished, .connectionsLimited, .dialsFailed, .bytesReceived, .bytesSent, .messagesAccepted,
        .messagesSent, .messagesDelivered, .messagesRead, .messagesReceived, .receiptsSent, .receiptsReceived,
        .commitFailures, .eventsLost,
    ]

    mutating func add(_ count: Int, to metric: NodeMetric) {
        counter(metric.rawValue, metric, []).increment(by: Int64(count))
    }

    mutating func count(_ metric: NodeMetric, reason: String, by end: String? = nil, times: Int = 1) {
        let dimensions = [("reason", reason)] + (end.map { [("by", $0)] } ?? [])
        counter("\(metric.rawValue) \(reason) \(end ?? "")", metric, dimensions).increment(by: Int64(times))
    }

    mutating func set(_ metric: NodeMetric, to value: Int) {
        let gauge =
            gauges[metric] ?? factory.makeRecorder(label: metric.rawValue, dimensions: [], aggregate: false)
        gauges[metric] = gauge
        gauge.record(Int64(value))
    }

    func committed(nanoseconds: Int64, entries: Int) {
        commitDuration.recordNanoseconds(nanoseconds)
        commitEntries.record(Int64(entries))
    }

    private mutating func counter(
        _ key: String, _ metric: NodeMetric, _ dimensions: [(String, String)]
    ) -> any CounterHandler {
        if let known = counters[key] { return known }
        let new = factory.makeCounter(label: metric.rawValue, dimensions: dimensions)
        counters[key] = new
        return new
    }
}
