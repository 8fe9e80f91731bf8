import EarshotModel

@testable import EarshotProtocol

extension OwnLog {
    /// The entries that bodies become at the end of this log. The log itself stays as it is.
    func extended(by bodies: [EntryBody], _ author: LogAuthor) -> (record: LogRecord, entries: [EntryRecord]) {
        var writer = LogWriter(self)
        for body in bodies { writer.append(body, by: author) }
        return writer.finish(by: author)
    }
}
