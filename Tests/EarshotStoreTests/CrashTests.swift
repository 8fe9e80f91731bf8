import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import EarshotStore

@Suite("After a crash")
struct CrashTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the store holds every commit that returned")
    func keepsCommits() throws {
        let store = try Store(path: folder.file("history.db"))
        var log = SampleLog()
        for sequence in UInt64(1)...40 {
            log.append(at: Int64(sequence))
            try store.commit(log.commit(from: sequence))
            guard sequence.isMultiple(of: 8) else { continue }
            let copy = try Store(path: try crashedCopy("crash \(sequence).db"))
            #expect(try copy.snapshot() == store.snapshot())
            #expect(try copy.entries(of: log.logID, from: 1, countLimit: 99, byteLimit: .max) == log.entries)
        }
    }

    @Test("in the middle of a write the store holds whole commits, and none after a lost one", arguments: 0..<20)
    func tornWrite(step: Int) throws {
        let store = try Store(path: folder.file("history.db"))
        var log = SampleLog()
        for commit in 0..<10 {
            for entry in 0..<3 { log.append(at: Int64(commit * 3 + entry)) }
            try store.commit(log.commit(from: UInt64(commit * 3 + 1)))
        }
        let path = try crashedCopy("torn.db")
        let wal = URL(fileURLWithPath: path + "-wal")
        let bytes = try Data(contentsOf: wal)
        try bytes.prefix(bytes.count * step / 20 + step).write(to: wal)

        let copy = try Store(path: path)
        let head = try copy.snapshot().logs.first?.head.sequence ?? 0
        #expect(head.isMultiple(of: 3))
        let kept = try copy.entries(of: log.logID, from: 1, countLimit: 99, byteLimit: .max)
        #expect(kept == Array(log.entries.prefix(Int(head))))
        #expect(try copy.integrityFindings() == [])
    }

    /// What a process that dies now leaves behind: the file and its log of writes, but nothing of what it held in memory.
    private func crashedCopy(_ name: String) throws -> String {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file("history.db") + suffix, toPath: folder.file(name) + suffix)
        }
        return folder.file(name)
    }
}
