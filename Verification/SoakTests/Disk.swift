import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation
import GRDB
import TestSupport

/// Alice's database, as a node would leave it: log 1 is her own, log 2 is bob's.
struct Disk {
    let folder: TemporaryFolder
    let path: String

    /// - Parameters:
    ///   - folder: where its home is made; one of its own unless given.
    ///   - home: the name of the home in the folder.
    init(in folder: TemporaryFolder? = nil, home: String = "home") throws {
        self.folder = try folder ?? TemporaryFolder()
        let home = self.folder.file(home)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        path = home + "/history.db"
        try Store(path: path).close()
        try write(
            """
            INSERT INTO user (userID, name, trust, firstSeen, lastSeen, isPinned) VALUES (\(Self.blob(9)), 'bob', 'unverified', 0, 0, 1);
            INSERT INTO log (number, \(Self.columns)) VALUES (1, \(Self.blob(1)), \(Self.values), \(Self.blob(8)));
            INSERT INTO log (number, \(Self.columns)) VALUES (2, \(Self.blob(2)), \(Self.values), \(Self.blob(9)));
            INSERT INTO delivery (\(Self.progress)) VALUES (1, \(Self.blob(9)), 0, 0, 2, 0);
            INSERT INTO delivery (\(Self.progress)) VALUES (2, \(Self.blob(8)), 0, 0, 9, 0);
            """)
    }

    private static let columns =
        "logID, conversationID, deviceID, epoch, headSequence, headChain, headTimestamp, nextExpiry, authorID"
    private static let progress = "log, recipientID, offered, sent, delivered, read"
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
