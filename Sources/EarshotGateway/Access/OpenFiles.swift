import Foundation

/// How many files this process may have open.
package enum OpenFiles {
    /// With fewer no command can do its work: a node's database, its threads and its sockets take that many.
    package static let needed = 64

    /// Raises the limit as far as the system lets this process (getrlimit(2)): many systems begin with 1,024, which is
    /// not enough for a thousand event streams.
    /// - Returns: the limit.
    static func raiseLimit() -> Int { raiseLimit(to: GatewayLimits.openFiles) }

    /// Raises the limit, if it is lower, as far as the system lets this process.
    /// - Returns: the limit.
    package static func raiseLimit(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = min(limit.rlim_max, rlim_t(wanted))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
