public import CoreMetrics
import Synchronization

/// Keeps metrics, and writes them in Prometheus' text format.
///
/// Any number of threads may measure at once. The number of series is bounded: past the limit a new series measures
/// nothing, and the text says how many were left out.
public final class PrometheusMetrics: MetricsFactory {
    /// The default limit for lines of samples.
    public static let seriesLimit = 1024
    /// Upper bounds of a histogram that was not described.
    static let defaultBuckets: [Double] = [0.001, 0.01, 0.1, 1, 10]

    private struct State {
        var families: [String: PrometheusFamily] = [:]
        var sampleCount = 0
        var droppedCount = 0
    }

    private let limit: Int
    private let descriptions: [String: MetricDescription]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptions: the meaning of the metrics; by default those of a node.
    ///   - limit: the greatest number of lines of samples.
    public init(descriptions: [MetricDescription] = NodeMetric.descriptions, limit: Int = PrometheusMetrics.seriesLimit)
    {
        self.limit = limit
        self.descriptions = Dictionary(descriptions.map { ($0.name, $0) }) { first, _ in first }
    }

    /// All metrics, in the text format 0.0.4
    /// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
    public func text() -> String {
        let (families, dropped) = state.withLock { (Array($0.families.values), $0.droppedCount) }
        var text = PrometheusText()
        for family in families.sorted(by: { $0.name < $1.name }) { text.write(family) }
        if dropped > 0 {
            text.header(Self.droppedName, help: "Series that were not kept, because there are too many.", .counter)
            text.sample(Self.droppedName, labels: "", value: Double(dropped))
        }
        return text.text
    }

    private static let droppedName = "metrics_series_dropped_total"

    // MARK: - MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(.counter, label, dimensions) { _ in PrometheusCounter() } ?? NOOPMetricsHandler.instance
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        instrument(.counter, label, dimensions) { _ in PrometheusSum() } ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(.gauge, label, dimensions) { _ in PrometheusGauge() } ?? NOOPMetricsHandler.instance
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else {
            return instrument(.gauge, label, dimensions) { _ in PrometheusGauge() } ?? NOOPMetricsHandler.instance
        }
        return histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> PrometheusHistogram? {
        instrument(.histogram, label, dimensions) { PrometheusHistogram(buckets: $0) }
    }

    /// The factory keeps what it made for an instrument, so a counter that somebody makes again goes on counting.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// - Returns: `nil` if there is no room, or if the name stands for another kind.
    private func instrument<Instrument: PrometheusInstrument>(
        _ kind: PrometheusKind, _ label: String, _ dimensions: [(String, String)], make: ([Double]) -> Instrument
    ) -> Instrument? {
        let (name, labels) = (PrometheusText.name(label), PrometheusText.labels(dimensions))
        let description = descriptions[label]
        let buckets = description?.buckets ?? Self.defaultBuckets
        return state.withLock { state in
            var family =
                state.families[name] ?? PrometheusFamily(name: name, help: description?.help ?? "", kind: kind)
            if let known = family.series[labels] as? Instrument { return known }
            // A histogram has a line for each bucket, one more for all, the sum and the count.
            let samples = kind == .histogram ? buckets.count + 3 : 1
            guard family.kind == kind, family.series[labels] == nil, state.sampleCount + samples <= limit else {
                state.droppedCount += 1
                return nil
            }
            let new = make(buckets)
            family.series[labels] = new
            state.families[name] = family
            state.sampleCount += samples
            return new
        }
    }
}

/// The meaning of a metric.
public struct MetricDescription: Sendable, Hashable {
    public let name: String
    /// What it measures, in a sentence.
    public let help: String
    /// The upper bounds of a histogram's buckets, ascending.
    public let buckets: [Double]?

    public init(name: String, help: String, buckets: [Double]? = nil) {
        self.name = name
        self.help = help
        self.buckets = buckets
    }
}
