import EarshotProtocol
import EarshotStore

/// The result of a check of the whole database.
enum DatabaseFacts: Hashable, Sendable {
    /// There is none yet; the first node makes it.
    case absent
    case sound
    /// With what is wrong, in a sentence from SQLite or the store.
    case damaged(String)
    /// A newer version of this program wrote it.
    case newer(String)
    case unreadable(String)

    /// Reads the whole file, and changes nothing. The time that it takes grows with the file.
    static func gathered(at path: String) -> DatabaseFacts {
        do throws(StoreError) {
            let found = try Store.integrityFindings(ofFile: path) { ScheduledMessage($0) != nil }
            guard let findings = found else { return .absent }
            guard !findings.isEmpty else { return .sound }
            return .damaged("the database \(path) is damaged: \(Wording.list(findings, limit: 3))")
        } catch {
            return switch error.code {
            case .damaged: .damaged(error.message)
            case .newer: .newer(error.message)
            default: .unreadable(error.message)
            }
        }
    }

    var findings: [Finding] {
        switch self {
        case .absent: [.ok(.database, "there is no history yet")]
        case .sound: [.ok(.database, "the database is sound")]
        case .damaged(let message):
            [
                .problem(
                    .database, .databaseDamaged, message,
                    why: "messages in it may be lost, and a node may refuse to run with it")
            ]
        case .newer(let message):
            [
                .problem(
                    .database, .databaseNewer, message, why: "this version cannot read it, and does not change it")
            ]
        case .unreadable(let message):
            [
                .problem(
                    .database, .databaseUnreadable, message, why: "a node keeps every message in it")
            ]
        }
    }
}
