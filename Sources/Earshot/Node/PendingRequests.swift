import Dispatch
import EarshotProtocol

/// Requests of programs that are not yet answered.
struct PendingRequests {
    /// Whoever answers takes it from here, so nobody is answered twice; and whoever is left is told when the node stops.
    /// That is what a checked continuation would look after, and would make an object for each call.
    typealias Answer<Value> = UnsafeContinuation<Result<Value, EarshotError>, Never>

    private var requests: [RequestID: Answer<RequestAnswer>] = [:]
    private var reachability: [RequestID: Answer<[Reachability]>] = [:]
    private var count: UInt64 = 0

    mutating func add(_ answer: Answer<RequestAnswer>) -> RequestID {
        let requestID = next()
        requests[requestID] = answer
        return requestID
    }

    mutating func add(_ answer: Answer<[Reachability]>) -> RequestID {
        let requestID = next()
        reachability[requestID] = answer
        return requestID
    }

    private mutating func next() -> RequestID {
        count += 1
        return RequestID(count)
    }

    /// Answers a request, unless the node has stopped meanwhile and has told everybody who waited.
    mutating func complete(_ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>) {
        requests.removeValue(forKey: requestID)?.resume(returning: result.mapError { EarshotError($0) })
    }

    /// Answers calls whose messages are on the disk.
    mutating func complete(_ calls: [AcceptedCall]) {
        guard calls.count > Self.few else {
            for call in calls { complete(call.requestID, .success(call.answer)) }
            return
        }
        let answered = calls.compactMap { call in
            requests.removeValue(forKey: call.requestID).map { ($0, call.answer) }
        }
        // Each of those who wait would wake a thread, and would be done before the loop comes to the next.
        DispatchQueue.global().async {
            for (waiting, answer) in answered { waiting.resume(returning: .success(answer)) }
        }
    }

    /// So many are answered by the loop itself.
    private static let few = 16

    mutating func complete(_ requestID: RequestID, _ answers: [Reachability]) {
        reachability.removeValue(forKey: requestID)?.resume(returning: .success(answers))
    }

    /// The node has stopped: tells everybody who waits.
    mutating func stop() {
        let error = EarshotError(.stopped, "the node has stopped before this was done")
        for answer in requests.values { answer.resume(returning: .failure(error)) }
        for answer in reachability.values { answer.resume(returning: .failure(error)) }
        requests = [:]
        reachability = [:]
    }
}
