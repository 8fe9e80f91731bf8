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
        case .post(.messageFailed(let change)):
            if case .failed(let reason) = change.state { failed[reason, default: 0] += 1 }
        case .postRun(let run): note(run)
        default: break
        }
    }

    private mutating func note(_ run: EventRun) {
        switch run {
        case .queued(let messages): accepted += messages.count
        case .received(let messages): received += messages.count
        case .progress(let progress):
            switch progress.step {
            case .sent: sent += run.count
            case .delivered: delivered += run.count
            case .handled: handled += run.count
            case .read: read += run.count
            }
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
