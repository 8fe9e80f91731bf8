import Logging
import TestSupport

/// The log of a node, for whoever waits for what no event tells of: it counts its records, keeps the warnings
/// and what is worse, and tells when nobody holds its logger any more.
final class LogWatch: Sendable {
    let records = Watched(0)
    let warnings = Watched([String]())
    let isReleased = Watched(false)

    var logger: Logger {
        let end = End(isReleased)
        return Logger(label: "test") { [records, warnings] _ in
            Handler(records: records, warnings: warnings, end: end)
        }
    }

    private struct Handler: LogHandler {
        let records: Watched<Int>
        let warnings: Watched<[String]>
        let end: End
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            records.update { $0 += 1 }
            if event.level >= .warning { warnings.update { $0.append("\(event.message)") } }
        }
    }

    private final class End: Sendable {
        private let isReleased: Watched<Bool>

        init(_ isReleased: Watched<Bool>) { self.isReleased = isReleased }

        deinit { isReleased.update { $0 = true } }
    }
}
