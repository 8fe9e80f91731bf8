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

    /// Everything until the end.
    package func readAll() -> Data {
        var all = Data()
        while case let part = readAvailable(), !part.isEmpty { all.append(part) }
        return all
    }
}
