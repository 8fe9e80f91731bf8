import Earshot

/// The path of the local API's Unix socket.
enum SocketPath {
    /// - Throws: `GatewayError` `socketUnusable` for a path that does not fit into a socket address.
    static func check(_ path: String) throws(GatewayError) {
        let bytes = path.utf8.count
        guard bytes <= GatewayLimits.socketPathBytes else {
            throw GatewayError(
                .socketUnusable,
                "the path of the local API's socket is \(bytes) bytes long, and the system's limit is "
                    + "\(GatewayLimits.socketPathBytes): \(path)",
                .init(.tooLong, path: path, limit: GatewayLimits.socketPathBytes))
        }
    }
}
