import EarshotProtocol

/// Adds up the actions of one batch, so that the counters change once a batch and not once a message.
struct BatchTally {
    private(set) var bytesSent = 0
    private(set) var accepted = 0
    private(set) var sent = 0
    private(set) var delivered = 0
    private(set) var handled = 0
    private(set) var read = 0
    private(set) var received = 0
    private(set) var failed: [FailureReason: Int] = [:]

    mutating func note(_ action: NodeAction) {
        switch action {
        case .write(_, let bytes): bytesSent += bytes.count
        case .post(let event): note(event)
        default: break
        }
    }

    private mutating func note(_ event: Event) {
        switch event {
        case .messageQueued: accepted += 1
        case .messageSent: sent += 1
        case .messageDelivered: delivered += 1
        case .messageHandled: handled += 1
        case .messageRead: read += 1
        case .messageReceived: received += 1
        case .messageFailed(let change):
            if case .failed(let reason) = change.state { failed[reason, default: 0] += 1 }
        default: break
        }
    }

    /// Adds the counts to the metrics, and begins anew.
    mutating func flush(to metrics: inout NodeMetrics) {
        let counts: KeyValuePairs<NodeMetric, Int> = [
            .bytesSent: bytesSent, .messagesAccepted: accepted, .messagesSent: sent, .messagesDelivered: delivered,
            .messagesHandled: handled, .messagesRead: read, .messagesReceived: received,
        ]
        for (metric, count) in counts where count > 0 { metrics.add(count, to: metric) }
        for (reason, count) in failed {
            metrics.count(.messagesFailed, reason: reason.rawValue, times: count)
        }
        self = BatchTally()
    }
}
