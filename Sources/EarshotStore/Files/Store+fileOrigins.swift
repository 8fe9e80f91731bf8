package import EarshotModel
import GRDB

/// To whom files may be given.
///
/// A file that is here is given in a conversation only if the content came by it, or this node's user has sent it there. A message
/// of somebody else that names it shows nothing: who knows the hash of a file need not have it.
extension Store {
    private static let given = """
        \(attached) AND attachment.fileID = ? AND log.conversationID = ?
            AND (log.authorID = ? OR EXISTS (
                SELECT 1 FROM fileOrigin
                WHERE fileOrigin.fileID = attachment.fileID AND fileOrigin.conversationID = log.conversationID))
        """

    /// Whether the participants of a conversation may be given a file.
    /// - Parameter userID: this node's user.
    package func mayGive(
        _ fileID: FileID, in conversationID: ConversationID, by userID: UserID
    ) throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (\(Self.given))"),
                arguments: [fileID.data, conversationID.data, userID.data]) ?? false
        }
    }

    /// Who may be given a file.
    /// - Parameter userID: this node's user.
    package func audience(of fileID: FileID, by userID: UserID) throws(StoreError) -> FileAudience {
        let messages = try messages(with: fileID)
        let origin = try origin(of: fileID)
        var audience = FileAudience(named: Set(messages.map(\.conversationID)))
        for message in messages where message.senderID == userID || origin == .conversation(message.conversationID) {
            audience.given.insert(message.conversationID)
        }
        return audience
    }

    /// By which conversations the content of a file came.
    package func origin(of fileID: FileID) throws(StoreError) -> FileOrigin {
        let rows = Rows(path: path)
        return try read { db in
            let statement = try db.cachedStatement(sql: "SELECT conversationID FROM fileOrigin WHERE fileID = ?")
            guard let row = try Row.fetchOne(statement, arguments: [fileID.data]) else { return .nowhere }
            return row["conversationID"] == nil ? .several : .conversation(try rows.identifier(row, "conversationID"))
        }
    }

    /// Notes by which conversations it came.
    package func note(_ origin: FileOrigin, of fileID: FileID) throws(StoreError) {
        let conversationID: ConversationID?
        switch origin {
        case .nowhere:
            return try write { db in
                try db.execute(sql: "DELETE FROM fileOrigin WHERE fileID = ?", arguments: [fileID.data])
            }
        case .conversation(let id): conversationID = id
        case .several: conversationID = nil
        }
        try write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO fileOrigin (fileID, conversationID) VALUES (?, ?)",
                arguments: [fileID.data, conversationID?.data])
        }
    }
}
