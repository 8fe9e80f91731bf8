import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotSoak

/// Alice's database, as a node would leave it: log 1 is her own, log 2 is bob's.
private struct Disk {
    let folder: TemporaryFolder
    var path: String { folder.file("history.db") }

    init() throws {
        folder = try TemporaryFolder()
        try Store(path: path).close()
        try write(
            """
            INSERT INTO user VALUES (\(Self.blob(9)), 'bob', 'unverified', 0, 0, 1);
            INSERT INTO log (number, \(Self.columns)) VALUES (1, \(Self.blob(1)), \(Self.values), \(Self.blob(8)));
            INSERT INTO log (number, \(Self.columns)) VALUES (2, \(Self.blob(2)), \(Self.values), \(Self.blob(9)));
            INSERT INTO delivery VALUES (1, \(Self.blob(9)), 0, 0, 2, 0, NULL, NULL, NULL, NULL, NULL);
            INSERT INTO delivery VALUES (2, \(Self.blob(8)), 0, 0, 9, 0, NULL, NULL, NULL, NULL, NULL);
            """)
    }

    private static let columns =
        "logID, conversationID, deviceID, epoch, headSequence, headChain, headTimestamp, nextExpiry, authorID"
    private static let values = "x'00', x'00', 0, 0, x'00', 0, 0"

    static func blob(_ byte: Int) -> String { "x'" + String(repeating: "0\(byte)", count: 32) + "'" }
    static func logID(_ byte: UInt8) -> LogID? { LogID(bytes: [UInt8](repeating: byte, count: 32)) }

    func write(_ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in try db.execute(sql: sql) }
        try database.close()
    }

    /// A branch of log 1 that begins behind one of its entries.
    func branch(number: Int, after sequence: Int, isLimbo: Bool = false) throws {
        try write(
            """
            INSERT INTO log (number, \(Self.columns), wireID, parent, baseSequence, isLimbo)
            VALUES (\(number), \(Self.blob(number)), \(Self.values), \(Self.blob(8)), \(Self.blob(1)), 1, \(sequence),
                \(isLimbo ? 1 : 0))
            """)
    }

    func append(_ text: String, log: Int, sequence: Int) throws {
        let body = EntryBody(
            timestamp: HybridTimestamp(rawValue: UInt64(sequence)), expiry: 1, content: .text(text, headers: [:]))
        let hex = body.encoded().map { String(format: "%02x", $0) }.joined()
        try write(
            """
            INSERT INTO entry (log, sequence, timestamp, expiry, kind, chain, body, isDeleted)
            VALUES (\(log), \(sequence), \(sequence), 1, 1, x'00', x'\(hex)', 0)
            """)
    }
}

@Suite("What a soak reads of a disk")
struct NodeDatabaseTests {
    private func message(_ number: Int, by author: Side = .alice) -> Numbered {
        Numbered(lane: Lane(author: author, index: 0), number: number)
    }

    @Test("is each row once, in the order of arrival, and how far each log is there")
    func rows() throws {
        let disk = try Disk()
        var database = NodeDatabase(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.append(message(1, by: .bob).text, log: 2, sequence: 1)
        #expect(try database.look().messages == [message(1), message(1, by: .bob)])
        try disk.append(message(2).text, log: 1, sequence: 2)
        #expect(try database.look().messages == [message(2)])
        #expect(try database.look().messages == [])
        #expect(database.heads[try #require(Disk.logID(1))] == 2)
        #expect(database.heads[try #require(Disk.logID(2))] == 1)
    }

    @Test("is a branch from its own first entry on, and nothing of what is to be written anew or is no message")
    func branches() throws {
        let disk = try Disk()
        var database = NodeDatabase(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.branch(number: 3, after: 1)
        try disk.append(message(2).text, log: 3, sequence: 2)
        try disk.branch(number: 4, after: 1, isLimbo: true)
        try disk.append(message(3).text, log: 4, sequence: 2)
        try disk.append("no message", log: 3, sequence: 3)
        try disk.write("UPDATE entry SET kind = \(EntryKind.branches.rawValue) WHERE log = 3 AND sequence = 3")
        let look = try database.look()
        #expect(look.messages == [message(1), message(2)])
        #expect(look.holes == 0)
        #expect(database.heads[try #require(Disk.logID(3))] == 3)
    }

    @Test("is nothing where there is no file yet")
    func none() throws {
        let folder = try TemporaryFolder()
        var database = NodeDatabase(path: folder.file("history.db"))
        #expect(try database.look().messages == [])
    }

    @Test("is a hole where a place in a log is left out, and the disk holds nothing past it")
    func hole() throws {
        let disk = try Disk()
        var database = NodeDatabase(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.append(message(3).text, log: 1, sequence: 3)
        #expect(try database.look().holes == 1)
        #expect(database.heads[try #require(Disk.logID(1))] == 1)
    }

    @Test("is foreign where the text is of no soak")
    func foreign() throws {
        let disk = try Disk()
        var database = NodeDatabase(path: disk.path)
        try disk.append("hello", log: 1, sequence: 1)
        #expect(try database.look().messages == [nil])
    }

    @Test("is what the node calls delivered, of its own messages alone")
    func delivered() throws {
        let disk = try Disk()
        var database = NodeDatabase(path: disk.path)
        #expect(try database.look().delivered == [try #require(Disk.logID(1)): 2])
    }
}
