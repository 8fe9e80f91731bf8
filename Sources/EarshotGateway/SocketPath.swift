package import Earshot

/// The path of the local API's Unix socket.
package enum SocketPath {
    /// - Throws: `GatewayError` `socketUnusable` for a home directory whose path is too long for the socket in it.
    package static func check(_ home: Home) throws(GatewayError) { try check(home.socketFile) }

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
