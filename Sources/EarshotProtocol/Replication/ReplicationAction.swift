import EarshotModel

/// What `Replication` wants done by the node.
enum ReplicationAction: Sendable {
    /// Put a frame among those that leave on a link.
    case send(Frame, ConnectionID)
    /// Messages go over a link: of too many, those give way first over which none went for longest.
    case used(ConnectionID)
    /// A peer has moved a log forward and is credited with so many requests; or, where the number is negative, it has asked
    /// for more work than its frame showed.
    case credit(Int, ConnectionID)
    /// Close a link. Its session has ended already.
    case close(ConnectionID, CloseReason, ProtocolError?)
    /// Messages are exchanged with a user from now on.
    case exchanged(UserID)
    case commit(Commit)
    case read(EntriesRead)
    case findExpired(logID: LogID, after: UInt64, now: Int64)
    case complete(RequestID, Result<RequestAnswer, ProtocolError>)
    case post(Event)
}
