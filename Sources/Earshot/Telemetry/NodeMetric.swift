/// The metrics of a node, by name. `docs/METRICS.md` lists them.
public enum NodeMetric: String, CaseIterable, Sendable {
    case links = "earshot_links"
    case linksEstablished = "earshot_links_established_total"
    case linksClosed = "earshot_links_closed_total"
    case handshakesRefused = "earshot_handshakes_refused_total"
    case connectionsLimited = "earshot_connections_limited_total"
    case dialsFailed = "earshot_dials_failed_total"
    case bytesReceived = "earshot_received_bytes_total"
    case bytesSent = "earshot_sent_bytes_total"
    case unacknowledgedBytes = "earshot_unacknowledged_bytes"

    case messagesAccepted = "earshot_messages_accepted_total"
    case messagesSent = "earshot_messages_sent_total"
    case messagesDelivered = "earshot_messages_delivered_total"
    case messagesHandled = "earshot_messages_handled_total"
    case messagesRead = "earshot_messages_read_total"
    case messagesFailed = "earshot_messages_failed_total"
    case messagesReceived = "earshot_messages_received_total"
    case messagesUndelivered = "earshot_messages_undelivered"
    case receiptsSent = "earshot_receipts_sent_total"
    case receiptsReceived = "earshot_receipts_received_total"

    case commitDuration = "earshot_commit_duration_seconds"
    case commitEntries = "earshot_commit_entries"
    case commitFailures = "earshot_commit_failures_total"
    case commitQueueMessages = "earshot_commit_queue_messages"
    case commitQueueBytes = "earshot_commit_queue_bytes"

    case devices = "earshot_discovery_devices"
    case eventsLost = "earshot_events_lost_total"

    /// The meaning of each metric, for programs that write them out.
    public static var descriptions: [MetricDescription] {
        allCases.map { MetricDescription(name: $0.rawValue, help: $0.help, buckets: $0.buckets) }
    }

    var help: String {
        switch self {
        case .links: "Links that are open."
        case .linksEstablished: "Links that were made."
        case .linksClosed: "Links that ended, by reason, and by whether the peer or this node said so."
        case .handshakesRefused: "Handshakes that came to nothing, by reason, and by which end said so."
        case .connectionsLimited: "Connections of strangers closed, because too many came at once."
        case .dialsFailed: "Dials that nobody answered."
        case .bytesReceived: "Bytes that came over connections to peers."
        case .bytesSent: "Bytes that were given to connections to peers."
        case .unacknowledgedBytes: "Bytes of entries sent and not acknowledged, of the link that has most."
        case .messagesAccepted: "Messages of this node's user that are on its disk."
        case .messagesSent: "Messages written to a link to their recipient."
        case .messagesDelivered: "Messages that are on their recipient's disk, says its receipt."
        case .messagesHandled: "Messages that a program of their recipient has dealt with, says its receipt."
        case .messagesRead: "Messages that their recipient has seen, says its receipt."
        case .messagesFailed: "Messages that will not be delivered, by reason."
        case .messagesReceived: "Messages of others that are on this node's disk."
        case .messagesUndelivered: "Messages that wait for their recipients' receipts."
        case .receiptsSent: "Receipts sent for logs that have grown here."
        case .receiptsReceived: "Receipts that came."
        case .commitDuration: "Seconds that a commit took, from the node's loop to the disk and back."
        case .commitEntries: "Log entries in a commit."
        case .commitFailures: "Commits that the disk did not take."
        case .commitQueueMessages: "Messages that wait for a commit."
        case .commitQueueBytes: "Bytes of the messages that wait for a commit."
        case .devices: "Devices that discovery sees."
        case .eventsLost: "Events that were not given to observers that are too slow."
        }
    }

    var buckets: [Double]? {
        switch self {
        case .commitDuration: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
        case .commitEntries: [0, 1, 4, 16, 64, 256, 1024, 2048]
        default: nil
        }
    }
}
