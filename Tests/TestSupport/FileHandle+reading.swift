package import Foundation
import Glibc

extension FileHandle {
    /// Reads what is there now, at least one byte; nothing at the end, or if reading fails. Unlike with
    /// `availableData`, a signal that arrives meanwhile does not end the process.
    package func readAvailable() -> Data {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return Data(buffer.prefix(max(0, count)))
        }
    }

    /// Waits until there is something to read, or the end.
    func hasMore(within deadline: Duration) -> Bool {
        let end = ContinuousClock.now + deadline
        while true {
            let rest = ContinuousClock.now.duration(to: end)
            var wanted = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&wanted, 1, Int32(max(0, rest / .milliseconds(1))))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// Everything until the end.
    package func readAll() -> Data {
        var all = Data()
        while case let part = readAvailable(), !part.isEmpty { all.append(part) }
        return all
    }
}
