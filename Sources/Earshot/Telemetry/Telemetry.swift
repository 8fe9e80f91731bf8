import CoreMetrics
import EarshotDiscovery
import EarshotProtocol
import Logging

/// Reports what people and programs that watch a node want to know: records, metrics, and for `doctor` what went wrong
/// lately. It decides nothing.
///
/// The node's loop feeds it: action by action, and once after each batch.
struct Telemetry {
    private let logger: Logger
    private var limiter = RecordLimiter()
    private var metrics: NodeMetrics
    private var tally = BatchTally()
    private var trouble = RecentTrouble()
    private var eventsLost = 0

    init(logger: Logger, metrics factory: any MetricsFactory) {
        self.logger = logger
        metrics = NodeMetrics(factory)
    }

    // MARK: - What happens

    /// Something that the node is about to do.
    mutating func note(_ action: NodeAction) { tally.note(action) }

    /// - Parameter now: an uptime, in milliseconds, as everywhere here.
    mutating func note(_ event: Event, now: Int64) {
        if let record = NodeRecord(event) { log(record, now: now) }
    }

    mutating func note(_ event: DiscoveryEvent, now: Int64) {
        if let record = NodeRecord(event) { log(record, now: now) }
    }

    mutating func received(bytes: Int) { metrics.add(bytes, to: .bytesReceived) }

    mutating func dialFailed() { metrics.add(1, to: .dialsFailed) }

    mutating func committed(entries: Int, duration: Duration, now: Int64) {
        let seconds = duration / .seconds(1)
        metrics.committed(nanoseconds: Int64(seconds * 1e9), entries: entries)
        guard let record = NodeRecord(commit: entries, seconds: seconds) else { return }
        log(record, now: now)
        trouble.note(now: now) {
            $0.slowCommits += 1
            $0.slowestCommit = max($0.slowestCommit, seconds)
        }
    }

    mutating func commitFailed(now: Int64) {
        metrics.add(1, to: .commitFailures)
        trouble.note(now: now) { $0.commitFailures += 1 }
    }

    /// The batch is done.
    mutating func flush(_ notes: NodeNotes?, now: Int64) {
        tally.flush(to: &metrics)
        guard let notes else { return }
        for link in notes.links { note(link, now: now) }
        if notes.receiptsSent > 0 { metrics.add(notes.receiptsSent, to: .receiptsSent) }
        if notes.receiptsReceived > 0 { metrics.add(notes.receiptsReceived, to: .receiptsReceived) }
        guard notes.connectionsRefused > 0 else { return }
        metrics.add(notes.connectionsRefused, to: .connectionsLimited)
        trouble.note(now: now) { $0.connectionsLimited += notes.connectionsRefused }
        log(NodeRecord(connectionsRefused: notes.connectionsRefused), now: now)
    }

    private mutating func note(_ link: LinkNote, now: Int64) {
        log(NodeRecord(link), now: now)
        let reason = link.reason ?? "disconnected"
        switch link.change {
        case .established: metrics.add(1, to: .linksEstablished)
        case .closed: metrics.count(.linksClosed, reason: reason, by: link.end)
        case .refused:
            metrics.count(.handshakesRefused, reason: reason, by: link.end)
            let refusal = RecentTrouble.Counts.Refusal(reason: reason, isByPeer: link.isByPeer)
            trouble.note(now: now) { $0.refusals[refusal, default: 0] += 1 }
        }
    }

    private mutating func log(_ record: NodeRecord, now: Int64) {
        guard record.level >= logger.logLevel, let suppressed = limiter.admit(record.kind, now: now) else { return }
        var metadata = record.metadata
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.log(level: record.level, "\(record.message)", metadata: metadata)
    }

    // MARK: - What is asked

    /// Sets the gauges, which are computed only when somebody asks.
    mutating func measure(_ levels: NodeLevels) {
        metrics.set(.links, to: levels.load.links)
        metrics.set(.unacknowledgedBytes, to: levels.load.windowBytes)
        metrics.set(.commitQueueMessages, to: levels.load.sends)
        metrics.set(.commitQueueBytes, to: levels.load.sendBytes)
        metrics.set(.messagesUndelivered, to: Int(clamping: levels.undelivered))
        metrics.set(.devices, to: levels.devices)
        metrics.add(levels.eventsLost - eventsLost, to: .eventsLost)
        eventsLost = levels.eventsLost
    }

    func recentTrouble(eventsLost: Int, now: Int64) -> RecentTrouble.Counts {
        var counts = trouble.counts(now: now)
        counts.eventsLost = eventsLost
        return counts
    }
}

/// The values of a node's gauges.
struct NodeLevels {
    let load: NodeLoad
    let undelivered: UInt64
    let devices: Int
    /// Since the node began.
    let eventsLost: Int
}
