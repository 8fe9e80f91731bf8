import Foundation
import Testing

/// A pipe that has no room, and that nobody reads until a test does.
struct FullPipe {
    let pipe = Pipe()

    init() throws {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        try #require(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0)
        let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        try #require(errno == EAGAIN)
        try #require(fcntl(descriptor, F_SETFL, flags) == 0)
    }

    var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    /// Takes all that is there, but what filled it.
    func read() -> String { pipe.takeAll().filter { $0 != "." } }
}

extension Pipe {
    /// Takes all that is there now.
    func takeAll() -> String {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        var waiting = pollfd(fd: fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) > 0 {
            let count = read(waiting.fd, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
