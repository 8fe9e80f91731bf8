import EarshotModel
import GRDB

extension CommitWriter {
    /// Few entries bring files along, so all others are spared this.
    func writeAttachments(of run: LogEntries) throws {
        for index in run.entries.placesOfParts {
            guard let attachments = run.entries[index].attachments else { continue }
            let log = try number(of: run.logID)
            for (place, attachment) in attachments.enumerated() {
                try db.cachedStatement(
                    sql: """
                        INSERT OR REPLACE INTO attachment (log, sequence, place, fileID, byteCount, name, mediaType)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """
                ).execute(arguments: [
                    log, Int64(run.entries[index].sequence), place, attachment.fileID.data,
                    Int64(clamping: attachment.byteCount), attachment.name, attachment.mediaType,
                ])
            }
        }
    }
}
