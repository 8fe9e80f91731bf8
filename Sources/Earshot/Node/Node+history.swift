import Dispatch
import EarshotProtocol
import EarshotStore

extension Node {
    /// Reads the store on a thread that may wait for the disk.
    func readStore<T: Sendable>(_ body: @escaping @Sendable () throws(StoreError) -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            historyQueue.async {
                do throws(StoreError) { continuation.resume(returning: try body()) } catch {
                    continuation.resume(throwing: EarshotError(error))
                }
            }
        }
    }
}

extension Message {
    /// - Returns: `nil` for an entry that is no text message.
    init?(_ row: HistoryRow, localID: UserID) {
        guard case .body(let bytes) = row.entry.content, let body = try? EntryBody(decoding: bytes),
            case .text(let text, let headers) = body.content
        else { return nil }
        let recipientID = row.log.authorID == localID ? row.log.peerID : localID
        let progress = row.progress[recipientID] ?? DeliveryProgress()
        self.init(
            messageID: MessageID(log: row.log.logID, sequence: row.entry.sequence),
            conversationID: row.log.description.conversationID, senderID: row.log.authorID,
            recipientIDs: [recipientID], text: text, headers: headers, timestamp: row.entry.timestamp,
            expiry: row.entry.expiry,
            states: [recipientID: progress.state(of: row.entry.sequence, failure: row.failure)])
    }
}
