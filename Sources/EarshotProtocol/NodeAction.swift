package import EarshotModel

/// A TCP connection, as a shell numbers it; no number is used twice in a run.
package struct ConnectionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
    package var description: String { "connection \(number)" }
    package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
}

/// Identifies a shell's request, so that the answer finds it.
package struct RequestID: Hashable, Sendable {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// Identifies an attempt to connect that only tests whether it succeeds.
package struct ProbeID: Hashable, Sendable {
    package let number: UInt64
    package init(_ number: UInt64) { self.number = number }
}

/// An action of a node's machine. A shell runs the actions in their order, and decides nothing.
package enum NodeAction: Sendable {
    /// Connect to the address that answers first, and call `connected` or `connectFailed`.
    case connect(ConnectionID, [PeerAddress])
    case write(ConnectionID, [UInt8])
    /// Close it when everything is written.
    case disconnect(ConnectionID)
    /// A device that was dialled is not there, or does not answer: look again where it is.
    case seek(DeviceID)
    /// Write it to the disk, and call `committed` or `commitFailed`. There is one at a time.
    indirect case commit(Commit)
    /// Read a log's entries, and call `entriesRead` or `readFailed`.
    indirect case read(EntriesRead)
    /// Read chain hashes, and call `chainsRead` or `chainsReadFailed`.
    indirect case readChains(ChainsRead)
    /// Find expired entries, and call `expiredFound` or `findExpiredFailed`.
    case findExpired(logID: LogID, after: UInt64, ExpiryClock)
    /// Find this node's own entries by their keys, and call `keysFound` or `findKeysFailed`.
    case findKeys(KeyLookup, [EntryKey])
    /// Connect, close at once, and call `probed` with the result. A connection that takes longer than `Timing.dialBack`
    /// has failed.
    indirect case probe(ProbeID, PeerAddress)
    /// The answer to a request, once its result is on the disk or has failed.
    indirect case complete(RequestID, Result<RequestAnswer, ProtocolError>)
    /// The answers to calls whose messages are on the disk.
    case accepted([AcceptedCall])
    /// The answer to `checkReachability`.
    case reachability(RequestID, [Reachability])
    indirect case device(DeviceTask)
    indirect case file(FileTask)
    /// Messages of this node have new ids from now on: whoever follows one by its id follows it by the new one. Only when all of
    /// a log has come back, an event tells of it.
    case renamed([RenamedMessages])
    case post(Event)
    /// Post these, one after the other.
    indirect case postRun(EventRun)
}

/// A request to read a run of entries of a log.
package struct EntriesRead: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// The next entries to send on the link.
        case sending
        /// What a branch has in the places of a frame of the log with this id.
        case locating(LogID)
        /// Entries that a peer wants.
        case giving
        /// Entries without bodies, for which a peer is about to be asked.
        case completing
        /// What this node has of entries whose bodies a peer lacks.
        case givingBodies(WantedBodiesFrame)
        /// Own entries that are to be written anew.
        case rewriting(ConversationID)
        /// The last own entry of a log that was offered: what follows it gives way.
        case cutting(ConversationID)
    }

    /// The link that it is for, if it is for one.
    let connectionID: ConnectionID?
    let purpose: Purpose
    package let logID: LogID
    package let from: UInt64
    /// Whether a device reads what others have written, to pass it on.
    package func isPassedOn(by deviceID: DeviceID) -> Bool {
        switch purpose {
        case .giving: true
        case .givingBodies(let wanted): wanted.log.deviceID != deviceID
        case .sending, .locating, .completing, .rewriting, .cutting: false
        }
    }
    package let countLimit: Int
    package let byteLimit: Int
}

/// A request to read the chain hashes of branches at some places.
package struct ChainsRead: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// Whether a peer's end of an own log is in one of its branches.
        case comparing(BranchHead)
        /// Whether a receipt is for one of them, whose ends are where they are when the disk is asked.
        case checking(Receipt, ends: Set<Place>)
        /// What to name when a branch is asked for.
        case asking(BranchHead)
        /// From where a branch is given to a peer.
        case giving(WantedFrame)
        /// Which branch has the entries whose bodies a peer lacks.
        case givingBodies(WantedBodiesFrame)
        /// Where what this device has shown, and does not count, stands: its user's other devices are to show it, too.
        case sharing
    }

    /// The link that it is for, if it is for one.
    let connectionID: ConnectionID?
    let purpose: Purpose
    package let logIDs: [LogID]
    package let sequences: [UInt64]
}

/// Who looks own entries up by their keys.
package enum KeyLookup: Hashable, Sendable {
    case call(RequestID)
    /// Entries of this conversation are written anew.
    case rewriting(ConversationID)
}
