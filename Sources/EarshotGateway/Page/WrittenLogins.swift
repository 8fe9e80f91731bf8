import Earshot
import Logging

/// The logins of the page that are in files, too, until they were used or have ended: see `LoginFiles`.
struct WrittenLogins {
    private struct Written {
        let id: String
        let path: String
        let end: ContinuousClock.Instant
    }

    private let files: LoginFiles
    private let logger: Logger
    /// In the order of their ends.
    private var all: [Written] = []

    init(node: Node) {
        files = LoginFiles(home: node.home)
        logger = node.configuration.logger
    }

    /// When the first of them ends.
    var nextEnd: ContinuousClock.Instant? { all.first?.end }

    /// - Parameter address: of the page, with the login.
    /// - Returns: the path of a file that leads there.
    /// - Throws: `EarshotError` `looseHome`, `unusableHome`.
    mutating func write(
        _ id: String, address: String, until end: ContinuousClock.Instant
    ) throws(EarshotError) -> String {
        let path = try files.write(address)
        all.append(Written(id: id, path: path, end: end))
        return path
    }

    mutating func remove(_ id: String) { remove { $0.id == id } }
    mutating func removeEnded(at now: ContinuousClock.Instant) { remove { $0.end <= now } }
    mutating func removeAll() { remove { _ in true } }

    /// Removes what a node has left that did not come to its end.
    func removeLeft() {
        do { try files.removeAll() } catch {
            logger.warning("an old login cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    private mutating func remove(where isOver: (Written) -> Bool) {
        for each in all where isOver(each) {
            do { try files.remove(each.path) } catch {
                logger.warning("an old login cannot be removed", metadata: ["error": "\(error)"])
            }
        }
        all.removeAll(where: isOver)
    }
}
