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

    /// Does something that may take long on a thread that nobody else waits for.
    func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws(EarshotError) -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "earshot.long").async {
                do throws(EarshotError) { continuation.resume(returning: try body()) } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

extension Message {
    /// - Returns: `nil` for an entry that is no text message. What a deleted one was is not known any more.
    init?(_ row: HistoryRow, localID: UserID) {
        var (text, headers) = ("", [String: String]())
        if !row.entry.isDeleted {
            guard case .body(let bytes) = row.entry.content, let body = try? EntryBody(decoding: bytes),
                case .text(let written, let writtenHeaders) = body.content
            else { return nil }
            (text, headers) = (written, writtenHeaders)
        }
        let recipientID = row.log.authorID == localID ? row.log.peerID : localID
        let progress = row.progress[recipientID] ?? DeliveryProgress()
        self.init(
            messageID: MessageID(log: row.log.logID, sequence: row.entry.sequence),
            conversationID: row.log.description.conversationID, senderID: row.log.authorID,
            recipientIDs: [recipientID], text: text, headers: headers, timestamp: row.entry.timestamp,
            expiry: row.entry.expiry,
            states: [recipientID: progress.state(of: row.entry.sequence, failure: row.failure)],
            isDeleted: row.entry.isDeleted)
    }
}
