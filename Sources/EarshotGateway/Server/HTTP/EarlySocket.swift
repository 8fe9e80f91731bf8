import Glibc
import NIOCore

/// A Unix socket before it listens, under another name: whoever finds the socket under its own name is answered.
///
/// Until it has its mode, the home directory's own keeps others out.
struct EarlySocket {
    /// As long as the socket's own, which may be as long as the system allows.
    let path: String
    private let final: String

    /// - Parameter final: where the socket is to be.
    /// - Throws: `IOError` if something else than a socket is there.
    init(_ final: String) throws {
        var found = stat()
        if lstat(final, &found) == 0, found.st_mode & S_IFMT != S_IFSOCK {
            throw IOError(errnoCode: EEXIST, reason: "something else than a socket is there")
        }
        (self.final, path) = (final, final.dropLast() + "~")
    }

    /// Gives the socket its own name, until the channel is closed. One that a dead node has left there goes: it cannot belong to a
    /// living one, because this node has the lock of the home directory.
    /// - Throws: `IOError`
    func open(_ channel: any Channel) throws {
        guard chmod(path, 0o600) == 0, rename(path, final) == 0 else {
            let error = IOError(errnoCode: errno, reason: "the socket could not be opened")
            unlink(path)
            throw error
        }
        channel.closeFuture.whenComplete { [final] _ in unlink(final) }
    }
}
