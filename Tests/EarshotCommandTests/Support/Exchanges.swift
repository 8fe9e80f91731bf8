import Foundation
import Synchronization
import TestSupport
import Testing

/// The answers of all nodes that tests of this process have started, held against `docs/openapi.yaml`. Each program adds
/// its answers to one file.
final class Exchanges: Sendable {
    /// `nil` where tests do without Python.
    static let shared: Result<Exchanges?, any Error> = Result {
        try DocumentJudge.shared.get().map { try Exchanges($0) }
    }

    /// The environment of a program whose answers are judged.
    var environment: [String: String] { ["EARSHOT_EXCHANGES": path] }

    /// For as long as this process lives: the file has no name of its own.
    private let path: String
    private let judge: DocumentJudge
    private let unread: Mutex<(file: FileHandle, line: Data)>

    private init(_ judge: DocumentJudge) throws {
        var name = Array("\(NSTemporaryDirectory())/earshot-XXXXXX".utf8CString)
        let descriptor = try PeerFailure.check(mkstemp(&name), "mkstemp")
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(name)
        path = "/proc/\(getpid())/fd/\(descriptor)"
        self.judge = judge
        unread = Mutex((FileHandle(fileDescriptor: descriptor), Data()))
    }

    /// Records an issue for each answer since the last call that is not as the document says.
    func check() {
        do {
            let lines = try unread.withLock { unread in
                unread.line += try unread.file.readToEnd() ?? Data()
                let end = unread.line.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? unread.line.startIndex
                defer { unread.line = Data(unread.line[end...]) }
                return unread.line[..<end].split(separator: UInt8(ascii: "\n"))
            }
            for line in lines {
                let fault = try judge.fault(in: line)
                if !fault.isEmpty { Issue.record("\(fault)") }
            }
        } catch { Issue.record(error) }
    }
}
