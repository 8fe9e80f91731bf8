import EarshotModel

/// What `Replication` wants the node to do.
enum ReplicationAction: Sendable {
    /// Add a frame to those that leave on a link.
    indirect case send(Frame, ConnectionID)
    /// Note that messages go over a link: when there are too many links, the one that was not used for the longest time
    /// gives way.
    case used(ConnectionID)
    /// A peer has moved a log forward, and is credited with so many requests. If the number is negative, it has asked
    /// for more work than its frame showed.
    case credit(Int, ConnectionID)
    /// Close a link. Its session has ended already.
    indirect case close(ConnectionID, CloseReason, ProtocolError?)
    /// Something is here for users who have no link.
    case reach([UserID])
    /// Messages have now been exchanged with a user.
    case exchanged(UserID)
    /// Send receipts of others, with the credentials of the devices that signed them.
    case carry([Receipt], ConnectionID)
    /// Send what another device wrote, with that device's credential.
    indirect case give(EntriesFrame, ConnectionID)
    /// Tell another device of this node's user who these users are.
    case vouch(for: [UserID], ConnectionID)
    /// A device that need not be linked ever is vouched for by its user.
    indirect case introduced(Credential)
    /// Entries of this device in its user's own conversation are on the disk.
    indirect case shared(RecordedEntries)
    indirect case commit(Commit)
    indirect case read(EntriesRead)
    indirect case readChains(ChainsRead)
    case findKeys(ConversationID, [EntryKey])
    case findExpired(logID: LogID, after: UInt64, ExpiryClock)
    /// A call with keys was held while a log was taken back, which may have brought its messages.
    indirect case lookUpAgain(PendingSend)
    indirect case complete(RequestID, Result<RequestAnswer, ProtocolError>)
    /// Answer the calls whose messages are on the disk.
    case accepted([AcceptedCall])
    /// Messages of this node have new ids.
    case renamed([RenamedMessages])
    case post(Event)
    indirect case postRun(EventRun)
}
