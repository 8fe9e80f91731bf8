package import NIOCore

/// The sizes and spans of time of the local API.
package enum GatewayLimits {
    /// The body of a request. A text of 64 KiB and headers of 8 KiB fit, even if JSON escapes each byte as `\u00xx`.
    package static let bodyBytes = 512 * 1024
    /// The most that a client reads of one response: a page of history with the longest messages.
    package static let responseBytes = 512 * 1024 * 1024
    /// The longest server-sent event that a client reads.
    package static let eventBytes = 1024 * 1024
    /// Messages on a page of history, unless the request names another number.
    package static let defaultPage = 50
    /// Connections at once. One more waits until another ends.
    package static let connections = 128
    /// Events that may wait for one client. It is told how many more there were.
    package static let pendingEvents = 1024
    /// How often the event stream sends something to a client, so that both ends notice when the other is gone.
    package static let heartbeat = Duration.seconds(15)
    /// How long a connection may stay silent between or within requests.
    package static let idleConnection = TimeAmount.seconds(60)
    /// How long open requests may take after the gateway is told to end.
    package static let shutdown = Duration.seconds(2)
    /// How long a client waits for the answer to a request.
    package static let response = Duration.seconds(30)
    /// The same for answers that take longer the longer the history is, or that wait for messages to be taken back.
    package static let longResponse = Duration.seconds(3600)
    /// The longest path of a Unix socket on Linux: `sockaddr_un.sun_path` without its closing zero (unix(7)).
    package static let socketPathBytes = 107
}
