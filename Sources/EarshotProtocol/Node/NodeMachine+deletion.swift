package import EarshotModel

extension NodeMachine {
    /// The contents of messages that had failed, and may have left all the same, were deleted from the disk, where they
    /// are withheld from now on. If one has to leave again, only its hash does, so no receipt says any more that it was
    /// delivered.
    ///
    /// The shell tells it in the order of the commits on the disk.
    package mutating func withholdDeleted(_ messageIDs: [MessageID]) {
        for messageID in messageIDs { failures[messageID.log]?[messageID.sequence]?.isWithheld = true }
    }
}
