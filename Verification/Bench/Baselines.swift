import EarshotCrypto
import EarshotModel
import Foundation
import GRDB

/// What this machine does without Earshot in the same run, for comparison with the node's figures.
enum Baselines {
    static func measure(in folder: URL, into report: inout Measurements) async throws {
        report.verificationsPerSecond = rate { key, message, signature in
            _ = Ed25519.isValid(signature, for: message, by: key.publicKey)
        }
        report.signaturesPerSecond = rate { key, message, _ in _ = key.signature(for: message) }
        (report.commitRowsPerSecond, report.singleCommitMicroseconds) = try commits(in: folder)
        report.roundTripMicroseconds = try roundTrip()
    }

    /// How often a step with an Ed25519 key and a message of 100 bytes is done in a second, on one core.
    private static func rate(_ step: (SigningKey, [UInt8], Signature) -> Void) -> Double {
        let key = SigningKey.generate()
        let message = [UInt8](repeating: 7, count: 100)
        let signature = key.signature(for: message)
        var count = 0
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(1) {
            for _ in 0..<64 { step(key, message, signature) }
            count += 64
        }
        return Double(count) / (milliseconds(start.duration(to: .now)) / 1000)
    }

    /// Rows of 120 bytes in groups of 256, and one row at a time, each group synced.
    private static func commits(in folder: URL) throws -> (rowsPerSecond: Double, single: Double) {
        let pool = try DatabasePool(path: folder.appending(path: "baseline.db").path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE entry (cursor INTEGER PRIMARY KEY, log INTEGER, sequence INTEGER, body BLOB);
                    CREATE UNIQUE INDEX entryOfLog ON entry (log, sequence);
                    """)
        }
        let body = Data(repeating: 7, count: 120)
        var sequence = 0
        func group(of size: Int) throws {
            try pool.write { db in
                let statement = try db.cachedStatement(sql: "INSERT INTO entry (log, sequence, body) VALUES (1, ?, ?)")
                for _ in 0..<size {
                    sequence += 1
                    try statement.execute(arguments: [sequence, body])
                }
            }
        }
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(1) { try group(of: 256) }
        let rows = Double(sequence) / (milliseconds(start.duration(to: .now)) / 1000)
        var singles: [Double] = []
        for _ in 0..<1000 {
            let begin = ContinuousClock.now
            try group(of: 1)
            singles.append(milliseconds(begin.duration(to: .now)) * 1000)
        }
        try pool.close()
        return (rows, singles.sorted()[500])
    }

    /// 100 bytes there and back over a TCP connection on loopback, between two threads.
    private static func roundTrip() throws -> Double {
        let pair = try LoopbackPair()
        defer { pair.close() }
        let rounds = 5_000
        Thread.detachNewThread { pair.echo(rounds) }
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            pair.ping()
            times.append(milliseconds(start.duration(to: .now)) * 1000)
        }
        return times.sorted()[rounds / 2]
    }
}
