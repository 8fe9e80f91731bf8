package import EarshotModel

/// A TCP connection, as a shell numbers it: never the same number twice in a run.
package struct ConnectionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
    package var description: String { "connection \(number)" }
    package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
}

/// What a shell asked for, so that the answer finds it.
package struct RequestID: Hashable, Sendable {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// An attempt to connect that is made only to see whether it succeeds.
package struct ProbeID: Hashable, Sendable {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// What a node's machine wants done. A shell does it, in this order, and decides nothing.
package enum NodeAction: Sendable {
    /// Connect to whichever of the addresses answers first, and say `connected` or `connectFailed`.
    case connect(ConnectionID, [PeerAddress])
    case write(ConnectionID, [UInt8])
    /// Close it when all that was to be written is.
    case disconnect(ConnectionID)
    /// Write it to the disk, and say `committed` or `commitFailed`. There is one at a time.
    case commit(Commit)
    /// Read a log's entries, and say `entriesRead` or `readFailed`.
    case read(EntriesRead)
    /// Find the entries whose time is over, and say `expiredFound` or `findExpiredFailed`.
    case findExpired(logID: LogID, after: UInt64, now: Int64)
    /// Connect, close at once, and say `probed` with what happened; a connection that takes longer than
    /// `Timing.dialBack` has failed.
    case probe(ProbeID, PeerAddress)
    /// The answer to a request, when it is on the disk or cannot be.
    case complete(RequestID, Result<RequestAnswer, ProtocolError>)
    /// The answer to `checkReachability`.
    case reachability(RequestID, [Reachability])
    case post(Event)
}

/// A wish to read a run of entries of a log.
package struct EntriesRead: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// What comes next on the link.
        case sending
        /// The chain hash at the place that a receipt names.
        case checking(Receipt)
        /// What this node has where a peer gives entries of its own back.
        case recovering
        /// What a peer wants back of its own log.
        case givingBack
    }

    /// The link that it is for.
    let connectionID: ConnectionID
    let purpose: Purpose
    package let logID: LogID
    package let from: UInt64
    package let countLimit: Int
    package let byteLimit: Int
}
