import NIOCore

/// The sizes and spans of time of the local API.
package enum GatewayLimits {
    /// The body of a request. A text of 64 KiB and headers of 8 KiB fit, even if JSON escapes each byte as `\u00xx`.
    package static let bodyBytes = 512 * 1024
    /// The headers of a request, in all, and how many fields they are; trailers count among them.
    package static let headerBytes = 64 * 1024
    package static let headerFields = 128
    /// The most that a client reads of one response: a page of history with the longest messages.
    package static let responseBytes = 512 * 1024 * 1024
    /// What of a file's content is read and sent at once.
    static let filePieceBytes = 256 * 1024
    /// What of a file that is uploaded is written at once, and how many are uploaded at once.
    static let intakeBytes = 1024 * 1024
    static let intakes = 32
    /// The longest server-sent event that a client reads.
    package static let eventBytes = 1024 * 1024
    /// Messages on a page of history, unless the request names another number.
    package static let defaultPage = 50
    /// Event streams and other requests that hold their connection, of the owner and of programs with tokens each.
    package static let heldRequests = 1024
    /// Connections at once, at the Unix socket and at the TCP port each. For one more, the connection gives way that
    /// has waited longest for a request, or for its client to leave.
    package static let connections = 2 * heldRequests + 512
    /// Connections that the system holds before they are accepted.
    static let backlog: Int32 = 512
    /// Files that are left for the node where the system gives a process few: links, the database, the log.
    static let otherFiles = 512
    /// Files that the process asks the system for: both servers' connections, and those of the node.
    static let openFiles = 2 * connections + 4 * otherFiles
    /// The last events that are kept for all event streams together, and their bytes. A stream that is slower reads the
    /// journal, and is told how many other events it lost.
    package static let feedEvents = 1024
    package static let feedBytes = 4 * 1024 * 1024
    /// The most events after which a client may let a stream end.
    static let countedEvents = 1000
    /// Events that a stream takes at once.
    package static let feedStep = 64
    /// How often the event stream sends something to a client, so that both ends notice when the other is gone.
    package static let heartbeat = Duration.seconds(15)
    /// How long a client waits until it tries again to reach a node that it has lost.
    package static let reconnection = Duration.milliseconds(200)
    /// How long a client may take until its request is whole; a connection on which nothing is asked ends then.
    static let request = TimeAmount.seconds(60)
    /// How long a client may read nothing of what is written to it.
    static let unread = TimeAmount.seconds(60)
    /// How long a client may go on sending after the last response, and how much. A client that sends all of a body before
    /// it reads still hears why a body of that size is refused.
    static let linger = TimeAmount.seconds(2)
    static let lingerBytes = 8 * 1024 * 1024
    /// How much of a response waits for a slow client outside of the system's buffers.
    static let unsentBytes = 256 * 1024
    /// How long open requests may take after the gateway is told to end.
    package static let shutdown = Duration.seconds(2)
    /// How long a client waits for the answer to a request.
    package static let response = Duration.seconds(30)
    /// The same where the node tries whether a notification gets through, which a program may take a minute for.
    package static let notificationTest = Duration.seconds(90)
    /// The same for answers that take longer the longer the history is, or that wait for messages to be taken back.
    package static let longResponse = Duration.seconds(3600)
    /// The longest path of a Unix socket on Linux: `sockaddr_un.sun_path` without its closing zero (unix(7)).
    package static let socketPathBytes = 107
    /// Requests a second with one token, on average.
    package static let requestsPerSecond = 200
    /// The TCP port of the API on loopback, unless another is named.
    package static let httpPort = 7117
}
