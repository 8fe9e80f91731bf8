import Testing

@testable import EarshotDiscovery

@Suite("Of queries that ask who is there")
struct QueryFilterTests {
    private typealias Query = (milliseconds: Int, want: DNSMessageCheck.Want)

    private static let place = QueryFilter.Place(socket: 3, interface: 2)
    private static let start = ContinuousClock.now
    private static let whole = DNSMessageCheck.Want.instances(isWhole: true)
    private static let part = DNSMessageCheck.Want.instances(isWhole: false)

    /// Which of these are let through.
    private static func admitted(_ queries: [Query]) -> [Bool] {
        var filter = QueryFilter()
        return queries.map { query in
            filter.admits(query.want, at: place, now: start + .milliseconds(query.milliseconds))
        }
    }

    @Test("one is let through, and others for which its answer does are not")
    func wholeQuestions() {
        let queries: [Query] = [
            (0, Self.whole), (1, Self.whole), (1, Self.part), (499, Self.whole), (499, Self.part), (500, Self.whole),
            (999, Self.whole),
        ]
        #expect(Self.admitted(queries) == [true, false, false, false, false, true, false])
    }

    @Test("one that may be taken back holds up only others like it, and not for long")
    func unfinishedQuestions() {
        let queries: [Query] = [
            (0, Self.part), (99, Self.part), (100, Self.part), (101, Self.whole), (102, Self.part), (300, Self.whole),
        ]
        #expect(Self.admitted(queries) == [true, false, true, true, false, false])
    }

    @Test("what takes back a question is let through only if that may have been")
    func takenBack() {
        #expect(Self.admitted([(0, .noInstances)]) == [false])
        let late: [Query] = [(0, Self.part), (1, .noInstances), (499, .noInstances), (500, .noInstances)]
        #expect(Self.admitted(late) == [true, true, true, false])
        #expect(Self.admitted([(0, Self.whole), (1, .noInstances)]) == [true, false])
        #expect(Self.admitted([(0, Self.part), (1, Self.whole), (2, .noInstances)]) == [true, true, false])
    }

    @Test("all else is let through, and what wants nothing never is")
    func others() {
        let queries: [Query] = [(0, .unknown), (0, Self.whole), (1, .unknown), (1, .nothing), (900, .nothing)]
        #expect(Self.admitted(queries) == [true, true, true, false, false])
    }

    @Test("each interface and socket has its own answer, and a bounded number is kept in mind")
    func places() {
        var filter = QueryFilter()
        let places = (0..<UInt32(QueryFilter.placeLimit)).map { QueryFilter.Place(socket: 3, interface: $0) }
        for place in places {
            let admitted = (0..<2).map { _ in filter.admits(Self.whole, at: place, now: Self.start) }
            #expect(admitted == [true, false])
        }
        let isOther = filter.admits(Self.whole, at: .init(socket: 4, interface: 0), now: Self.start)
        #expect(isOther)
        let isForgotten = filter.admits(Self.whole, at: places[0], now: Self.start)
        #expect(isForgotten)
    }
}
