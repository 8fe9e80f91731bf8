import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("What is written to a reader who may not read")
struct DescriptorWriterTests {
    @Test("is lost where there is no room, and the next text that finds some says how much was")
    func lost() throws {
        let full = try FullPipe()
        let writer = DescriptorWriter(full.descriptor, patience: 0)
        for text in ["1\n", "2\n"] { #expect(writer.write(Array(text.utf8)) { "lost \($0)\n" } == 0) }
        #expect(full.read() == "")
        for text in ["3\n", "4\n"] { #expect(writer.write(Array(text.utf8)) { "lost \($0)\n" } == 0) }
        #expect(full.read() == "lost 2\n3\n4\n")
    }

    @Test("begins on a line of its own after a text of which only a part found room")
    func torn() throws {
        let pipe = Pipe()
        let writer = DescriptorWriter(pipe.fileHandleForWriting.fileDescriptor, patience: 0)
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        #expect(writer.write(long) { "lost \($0)\n" } == 0)
        let part = pipe.takeAll()
        #expect(!part.isEmpty && part.count < long.count)
        #expect(writer.write(Array("next\n".utf8)) { "lost \($0)\n" } == 0)
        #expect(pipe.takeAll() == "\nlost 1\nnext\n")
    }

    @Test("comes whole where the reader is waited for, also if the descriptor is one that does not wait")
    func patient() async throws {
        let full = try FullPipe()
        try #require(fcntl(full.descriptor, F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "x", count: 1 << 20)
        async let error = onThread("it is written") {
            DescriptorWriter(full.descriptor).write(Array(text.utf8)) { "lost \($0)\n" }
        }
        let read = try await onThread("it is read") {
            var read = ""
            while read.count < text.count { read += full.read() }
            return read
        }
        #expect(read == text)
        #expect(try await error == 0)
    }

    @Test("fails if the reader has gone")
    func gone() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let writer = DescriptorWriter(pipe.fileHandleForWriting.fileDescriptor, patience: 0)
        signal(SIGPIPE, SIG_IGN)
        #expect(writer.write(Array("1\n".utf8)) { "lost \($0)\n" } == EPIPE)
    }
}
