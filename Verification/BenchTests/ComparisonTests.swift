import Foundation
import Testing

@testable import EarshotBench

@Suite("A comparison of two versions")
struct ComparisonTests {
    @Test("takes the median of the ratios of neighbours, not the ratio of the medians")
    func pairs() {
        // The machine slows down by half while it runs; the new version is a tenth faster in each pair but one.
        let pairs = [(100.0, 110.0), (80, 88), (60, 30), (50, 55), (50, 55)].map {
            (
                old: Run(throughput: $0.0, medianLatency: 1000 / $0.0),
                new: Run(throughput: $0.1, medianLatency: 1000 / $0.1)
            )
        }
        let comparison = Comparison(pairs)
        #expect(abs(comparison.throughput.median - 1.1) < 1e-9)
        #expect(abs(comparison.medianLatency.median - 1.1) < 1e-9)
        #expect(comparison.throughput.minimum == 0.5)
    }

    @Test("of latencies is above 1 where the new version is quicker, and below 1 where it is slower")
    func direction() {
        let (quick, slow) = (Run(throughput: 1, medianLatency: 500), Run(throughput: 1, medianLatency: 1000))
        #expect(Comparison([(old: slow, new: quick)]).medianLatency.median == 2)
        #expect(Comparison([(old: quick, new: slow)]).medianLatency.median == 0.5)
    }

    @Test(
        "gives the ends, the quartiles and the middle of any number of ratios",
        arguments: [
            ([7], [7, 7, 7, 7, 7]),
            ([3, 1], [1, 1.5, 2, 2.5, 3]),
            ([5, 1, 4, 2, 3], [1, 2, 3, 4, 5]),
            ([7, 1, 6, 2, 5, 3, 4], [1, 2.5, 4, 5.5, 7]),
            ([40, 10, 30, 20], [10, 17.5, 25, 32.5, 40]),
        ] as [([Double], [Double])])
    func spread(numbers: [Double], expected: [Double]) {
        let spread = Spread(numbers)
        let found = [
            spread.minimum, spread.lowerQuartile, spread.median, spread.upperQuartile, spread.maximum,
        ]
        #expect(found == expected)
        #expect(spread.count == numbers.count)
    }

    @Test("reads what a run prints")
    func reading() throws {
        let line = #"{"messages_per_second":98000.5,"delivered_p50_us":1180.0,"complete":true}"#
        let run = try JSONDecoder().decode(Run.self, from: Data(line.utf8))
        #expect(run == Run(throughput: 98000.5, medianLatency: 1180))
    }
}
