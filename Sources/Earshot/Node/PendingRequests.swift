import EarshotProtocol

/// Requests of programs that are not yet answered.
struct PendingRequests {
    /// Whoever answers takes it from here, so nobody is answered twice; and whoever is left is told when the node stops.
    /// That is what a checked continuation would look after, and would make an object for each call.
    typealias Answer<Value> = UnsafeContinuation<Result<Value, EarshotError>, Never>

    private var requests = InOrder<Answer<RequestAnswer>>()
    /// The last calls that were handed over, answered or not.
    private var written: WrittenCalls?
    private var reachability = InOrder<Answer<[Reachability]>>()
    private var count: UInt64 = 0

    mutating func add(_ answer: Answer<RequestAnswer>) -> RequestID {
        let requestID = next()
        requests.insert(answer, requestID)
        return requestID
    }

    mutating func add(_ answer: Answer<[Reachability]>) -> RequestID {
        let requestID = next()
        reachability.insert(answer, requestID)
        return requestID
    }

    private mutating func next() -> RequestID {
        count += 1
        return RequestID(count)
    }

    /// Answers a request, unless the node has stopped meanwhile and has told everybody who waited.
    mutating func complete(_ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>) {
        requests.remove(requestID)?.resume(returning: result.mapError { EarshotError($0) })
    }

    /// Answers calls whose messages are on the disk, unless the disk has.
    mutating func complete(_ calls: [AcceptedCall]) {
        guard !requests.isEmpty else { return }
        for call in calls { complete(call.requestID, .success(call.answer)) }
    }

    /// Hands over the calls whose messages are being written: the disk answers them, before the loop comes to it.
    mutating func handOver(_ calls: [AcceptedCall]) -> WrittenCalls? {
        guard calls.count > Self.few else { return nil }
        let written = WrittenCalls(
            calls.compactMap { call in requests.remove(call.requestID).map { (call, $0) } })
        self.written = written
        return written
    }

    /// Takes calls back whose messages have not come to the disk.
    mutating func takeBack() {
        for (call, waiting) in written?.take() ?? [] { requests.insert(waiting, call.requestID) }
        written = nil
    }

    /// So many are answered by the loop itself, once peers have been sent what is theirs.
    private static let few = 16

    mutating func complete(_ requestID: RequestID, _ answers: [Reachability]) {
        reachability.remove(requestID)?.resume(returning: .success(answers))
    }

    /// The node has stopped: tells everybody who waits.
    mutating func stop(_ error: EarshotError) {
        takeBack()
        for answer in requests.takeAll() { answer.resume(returning: .failure(error)) }
        for answer in reachability.takeAll() { answer.resume(returning: .failure(error)) }
    }
}
