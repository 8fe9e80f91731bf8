import Foundation
import Synchronization

/// The temporary files of an export or an import, which must not outlast it: an unsealed copy of the history, or a home
/// directory with its keys.
///
/// A lock on the open file holds each of them (flock(2)); the kernel releases it when the process ends, however it
/// ends. So anybody may remove one whose lock is free: see `Home.removeLeftovers`.
package final class WorkFiles: Sendable {
    private struct State {
        /// The existing files, each with the descriptor that holds it.
        var descriptors: [String: Int32] = [:]
        var isDiscarded = false
    }

    private let state = Mutex(State())

    package init() {}

    deinit { state.withLock { state in for descriptor in state.descriptors.values { close(descriptor) } } }

    /// Removes all of them, and lets no more be made: what is under way fails.
    /// - Parameter end: is called before anybody is told. A process may end there, from any thread.
    package func discard(andThen end: () -> Void = {}) {
        state.withLock { state in
            state.isDiscarded = true
            for (path, descriptor) in state.descriptors where Self.isThere(path, descriptor) { Self.remove(path) }
            end()
        }
    }

    /// Makes an empty file that is its owner's alone.
    /// - Returns: its descriptor, open until it is released or removed.
    /// - Throws: `EarshotError` `fileExists`, `unusableFile` or `stopped`.
    func makeFile(_ path: String) throws(EarshotError) -> Int32 {
        try hold(path) { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    }

    /// Makes an empty directory that is its owner's alone.
    /// - Throws: `EarshotError` `fileExists`, `unusableFile` or `stopped`.
    func makeDirectory(_ path: String) throws(EarshotError) {
        _ = try hold(path) {
            guard mkdir(path, 0o700) == 0 else { return -1 }
            return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        }
    }

    private func hold(_ path: String, _ make: () -> Int32) throws(EarshotError) -> Int32 {
        try state.withLock { (state: inout State) throws(EarshotError) in
            guard !state.isDiscarded else { throw EarshotError(.stopped, "it was interrupted") }
            let descriptor = make()
            guard descriptor >= 0 else {
                guard errno == EEXIST else { throw EarshotError.unusableFile(path, "written") }
                throw EarshotError(.fileExists, "there is a file \(path) already", .init(path: path))
            }
            // Before it was held, somebody who cleans up may have taken it for a leftover.
            guard Self.lock(descriptor) != .isHeld, Self.isThere(path, descriptor) else {
                close(descriptor)
                throw EarshotError(
                    .unusableFile, "\(path) was removed while it was made", .init(.removedMeanwhile, path: path))
            }
            state.descriptors[path] = descriptor
            return descriptor
        }
    }

    /// Keeps a file or directory for good.
    func release(_ path: String) {
        state.withLock { state in
            guard let descriptor = state.descriptors.removeValue(forKey: path) else { return }
            close(descriptor)
        }
    }

    /// Whether a file or directory is still where it was made.
    func isInPlace(_ path: String) -> Bool {
        state.withLock { state in state.descriptors[path].map { Self.isThere(path, $0) } ?? false }
    }

    /// Removes one of them, but not what somebody else has put in its place.
    /// - Returns: whether nothing is left.
    @discardableResult
    func discard(_ path: String) -> Bool {
        defer { release(path) }
        return isInPlace(path) ? Self.remove(path) : true
    }

    // MARK: - Leftovers

    /// Removes what a process left when it ended; what another process holds stays.
    /// - Returns: whether nothing is left to remove.
    static func removeAbandoned(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        return switch lock(descriptor) {
        // Another process that cleans up may have been first, and what is there now may be in use.
        case .isOurs: isThere(path, descriptor) ? remove(path) : true
        case .isHeld: true
        case .isUnknown: false
        }
    }

    /// The same, for a file only: anything else stays.
    static func removeAbandonedFile(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFREG && removeAbandoned(path)
    }

    private enum Lock { case isOurs, isHeld, isUnknown }

    /// Not every file system has such locks. On one without them, nothing counts as held or as left behind.
    private static func lock(_ descriptor: Int32) -> Lock {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return .isOurs }
        return errno == EWOULDBLOCK ? .isHeld : .isUnknown
    }

    /// Whether the path still leads to the open file.
    private static func isThere(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, held) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
            && named.st_dev == held.st_dev
    }

    /// Removes a file, or a directory with all that is in it.
    @discardableResult
    private static func remove(_ path: String) -> Bool {
        if unlink(path) == 0 || errno == ENOENT { return true }
        // Somebody who is still writing into a directory may put something there meanwhile.
        for _ in 0..<3 {
            do {
                try FileManager.default.removeItem(atPath: path)
                return true
            } catch { if access(path, F_OK) != 0 { return true } }
        }
        return false
    }
}
