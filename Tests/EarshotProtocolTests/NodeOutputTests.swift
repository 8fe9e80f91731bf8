import Testing

@testable import EarshotProtocol

@Suite("What inputs bring about")
struct NodeOutputTests {
    @Test("is handed over once, in its order, and says whether more inputs are being taken")
    func order() {
        var output = NodeOutput()
        output.beginTakingMore()
        #expect(output.isTakingMore)
        for number in 1...3 as ClosedRange<UInt64> { output.append(.disconnect(ConnectionID(number))) }
        output.endTakingMore()
        #expect(!output.isTakingMore)
        let connections = output.take().compactMap { action in
            if case .disconnect(let connectionID) = action { connectionID.number } else { nil }
        }
        #expect(connections == [1, 2, 3])
        #expect(output.take().isEmpty)
    }
}
