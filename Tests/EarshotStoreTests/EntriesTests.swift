import EarshotModel
import Testing

@testable import EarshotStore

@Suite("A store's entries of a log")
struct EntriesTests {
    @Test("come back as they were written, from any number on")
    func content() throws {
        var log = SampleLog()
        log.append(at: 1, body: [])
        log.append(at: 2, expiry: 77, body: [UInt8](repeating: 0xff, count: 70_000))
        log.append(at: 3, isWithheld: true)
        let store = try Store.inMemory()
        try store.commit(log.commit)
        for first in UInt64(1)...4 {
            let entries = try store.entries(of: log.logID, from: first, countLimit: 9, byteLimit: .max)
            #expect(entries == Array(log.entries.dropFirst(Int(first) - 1)))
        }
    }

    @Test("are as many as the limit of their number allows")
    func countLimit() throws {
        let log = SampleLog.at(1...10)
        let store = try Store.inMemory()
        try store.commit(log.commit)
        #expect(
            try store.entries(of: log.logID, from: 3, countLimit: 4, byteLimit: .max).map(\.sequence) == [3, 4, 5, 6])
    }

    @Test("are as many as the limit of their bytes allows, and at least one")
    func byteLimit() throws {
        let log = SampleLog.at(1...10)
        let store = try Store.inMemory()
        try store.commit(log.commit)
        let size = log.entries[0].windowBytes
        for (limit, count) in [(0, 1), (size, 1), (2 * size - 1, 1), (2 * size, 2), (9 * size + 1, 9)] {
            #expect(try store.entries(of: log.logID, from: 1, countLimit: 99, byteLimit: limit).count == count)
        }
    }

    @Test("of a log that is not there are none")
    func unknownLog() throws {
        #expect(try Store.inMemory().entries(of: identifier(1), from: 1, countLimit: 9, byteLimit: 9).isEmpty)
    }

    @Test("are expired when their time is over, and the next expiry is the earliest after now")
    func expired() throws {
        var log = SampleLog()
        for expiry in [10, 500, 20, 30, .max] as [Int64] { log.append(at: 1, expiry: expiry) }
        let store = try Store.inMemory()
        try store.commit(log.commit)
        #expect(try store.expired(in: log.logID, after: 0, by: ExpiryClock(9)) == ([], 10))
        #expect(try store.expired(in: log.logID, after: 0, by: ExpiryClock(20)) == ([1, 3], 30))
        #expect(try store.expired(in: log.logID, after: 1, by: ExpiryClock(20)) == ([3], 30))
        #expect(try store.expired(in: log.logID, after: 0, by: ExpiryClock(500)) == ([1, 2, 3, 4], .max))
        #expect(try store.expired(in: log.logID, after: 5, by: ExpiryClock(500)) == ([], .max))
    }
}
