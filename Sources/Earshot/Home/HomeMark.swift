import Foundation
import Synchronization

/// A sign on a home directory that other processes see while the process that made it lives.
///
/// An advisory lock on one byte of a file (`F_OFD_SETLK`, fcntl(2)). So the kernel takes the mark away, however the
/// process ends.
package final class HomeMark: Sendable {
    /// Each is a byte of the file.
    package enum Kind: Int64, Sendable {
        /// A command uses the node. Whoever holds it alone is a short-lived node that ends.
        case guest
        /// A command needs the node to be on the network.
        case network
        /// A command starts a node for itself and others.
        case starting
        /// Somebody brings up a node that stays.
        case coming
        /// The node is there only for as long as commands use it.
        case shortLived
        /// The node ends as soon as another one comes that stays.
        case givesWay
    }

    /// Who holds a mark.
    package enum Holders: Sendable {
        case nobody
        /// One, and no other can.
        case alone
        /// At least one, who shares it.
        case sharing
    }

    private let descriptor: Int32
    private let isRemoved = Mutex(false)

    /// - Parameter isShared: whether others may hold the mark at the same time, if they share it too.
    /// - Returns: `nil` if another process, or another mark of this one, holds it.
    /// - Throws: `EarshotError` `unusableHome`, `looseHome`.
    package init?(_ kind: Kind, of home: Home, isShared: Bool = false) throws(EarshotError) {
        // Before anything is left there.
        try home.checkPlace()
        let path = home.marksFile
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw EarshotError(
                .unusableHome, "\(path) cannot be opened: \(String(cString: strerror(errno)))",
                .init(.unwritable, path: path, systemError: errno))
        }
        var range = Self.range(of: kind, isShared ? F_RDLCK : F_WRLCK)
        guard fcntl(descriptor, HomeLock.setLock, &range) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { remove() }

    package func remove() {
        isRemoved.withLock { isRemoved in
            guard !isRemoved else { return }
            isRemoved = true
            // Closing is not enough: a child process that has not reached its program yet has the descriptor, too.
            var range = flock(l_type: Int16(F_UNLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
            _ = fcntl(descriptor, HomeLock.setLock, &range)
            close(descriptor)
        }
    }

    package static func holders(of kind: Kind, of home: Home) -> Holders {
        let descriptor = open(home.marksFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        var range = range(of: kind, F_WRLCK)
        guard fcntl(descriptor, HomeLock.getLock, &range) == 0, range.l_type != F_UNLCK else { return .nobody }
        return range.l_type == F_RDLCK ? .sharing : .alone
    }

    package static func isSet(_ kind: Kind, of home: Home) -> Bool { holders(of: kind, of: home) != .nobody }

    private static func range(of kind: Kind, _ type: Int32) -> flock {
        flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(kind.rawValue), l_len: 1, l_pid: 0)
    }
}
