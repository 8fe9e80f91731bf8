import CoreMetrics
import Foundation
import Testing

@testable import Earshot

@Suite("Metrics as Prometheus reads them")
struct PrometheusTests {
    @Test("are written by the name, each family with its help and type, each series on a line")
    func counters() {
        let metrics = PrometheusMetrics(descriptions: [MetricDescription(name: "requests_total", help: "All of them.")])
        metrics.makeCounter(label: "requests_total", dimensions: [("code", "500"), ("by", "peer")]).increment(by: 3)
        metrics.makeCounter(label: "requests_total", dimensions: [("code", "200"), ("by", "peer")]).increment(by: 1027)
        metrics.makeMeter(label: "queue", dimensions: []).set(2.5)
        #expect(
            metrics.text() == """
                # TYPE queue gauge
                queue 2.5
                # HELP requests_total All of them.
                # TYPE requests_total counter
                requests_total{code="200",by="peer"} 1027
                requests_total{code="500",by="peer"} 3

                """)
    }

    @Test("escape a label's backslashes, quotes and line ends, a help's without the quotes, and mend names")
    func escaping() {
        let metrics = PrometheusMetrics(descriptions: [MetricDescription(name: "a.b-c", help: "C:\\ \"x\"\nnext")])
        let label = "back\\slash \"quote\" line\nend"
        metrics.makeMeter(label: "a.b-c", dimensions: [("1st:é", label)]).set(Int64(1))
        #expect(
            metrics.text() == #"""
                # HELP a_b_c C:\\ "x"\nnext
                # TYPE a_b_c gauge
                a_b_c{_st__="back\\slash \"quote\" line\nend"} 1

                """#)
    }

    @Test("count a histogram's values into every bucket that they fit into, a timer's in seconds")
    func histogram() {
        let metrics = PrometheusMetrics(
            descriptions: [MetricDescription(name: "took_seconds", help: "Time.", buckets: [0.01, 0.1, 1])])
        let timer = metrics.makeTimer(label: "took_seconds", dimensions: [("op", "write")])
        for milliseconds: Int64 in [5, 10, 50, 2000] { timer.recordNanoseconds(milliseconds * 1_000_000) }
        #expect(
            metrics.text() == """
                # HELP took_seconds Time.
                # TYPE took_seconds histogram
                took_seconds_bucket{op="write",le="0.01"} 2
                took_seconds_bucket{op="write",le="0.1"} 3
                took_seconds_bucket{op="write",le="1"} 3
                took_seconds_bucket{op="write",le="+Inf"} 4
                took_seconds_sum{op="write"} 2.065
                took_seconds_count{op="write"} 4

                """)
    }

    @Test("write the numbers that are none as Go reads them")
    func numbers() {
        #expect(
            [.infinity, -.infinity, .nan, 1e300, -3, 0.1].map(PrometheusText.number) == [
                "+Inf", "-Inf", "NaN", "1e+300", "-3", "0.1",
            ])
    }

    @Test("are bounded: what comes past the limit measures nothing, and is counted")
    func bound() {
        let metrics = PrometheusMetrics(descriptions: [], limit: 3)
        for number in 0..<10 {
            metrics.makeCounter(label: "c", dimensions: [("n", "\(number)")]).increment(by: 1)
        }
        // A known one is no new one.
        metrics.makeCounter(label: "c", dimensions: [("n", "0")]).increment(by: 1)
        metrics.makeTimer(label: "t", dimensions: []).recordNanoseconds(1)
        #expect(
            metrics.text() == """
                # TYPE c counter
                c{n="0"} 2
                c{n="1"} 1
                c{n="2"} 1
                # HELP metrics_series_dropped_total Series that were not kept, because there are too many.
                # TYPE metrics_series_dropped_total counter
                metrics_series_dropped_total 8

                """)
    }

    @Test("do not mix two kinds under one name")
    func kinds() {
        let metrics = PrometheusMetrics(descriptions: [])
        metrics.makeCounter(label: "x", dimensions: []).increment(by: 1)
        metrics.makeMeter(label: "x", dimensions: [("a", "b")]).set(Int64(9))
        #expect(metrics.text().hasPrefix("# TYPE x counter\nx 1\n#"))
    }

    @Test("lose nothing that many threads count at once")
    func threads() async {
        let metrics = PrometheusMetrics(descriptions: [])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        metrics.makeCounter(label: "c", dimensions: []).increment(by: 1)
                        metrics.makeRecorder(label: "r", dimensions: [], aggregate: true).record(Int64(1))
                    }
                }
            }
        }
        let text = metrics.text()
        #expect(text.contains("c 8000\n"))
        #expect(text.contains("r_count 8000\n") && text.contains("r_sum 8000\n"))
    }

    @Test("of a node are all in docs/METRICS.md, with a word on each")
    func documented() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../docs/METRICS.md").standardized
        let text = try String(contentsOf: path, encoding: .utf8)
        for metric in NodeMetric.allCases { #expect(text.contains("| `\(metric.rawValue)"), "\(metric)") }
    }
}
