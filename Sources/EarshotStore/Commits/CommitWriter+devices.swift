import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Writes what a commit says about devices of this node's user, and about revoked ones.
    func writeDevices(of commit: Commit) throws {
        for deviceID in commit.forgottenOwnDevices {
            try db.cachedStatement(sql: "DELETE FROM ownDevice WHERE deviceID = ?").execute(arguments: [deviceID.data])
        }
        for device in commit.ownDevices { try write(device) }
        for revocation in commit.revocations { try write(revocation) }
    }

    private func write(_ device: OwnDeviceRecord) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO ownDevice (deviceID, credential, name, namedAt, addresses, lastSeen)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (deviceID) DO UPDATE SET credential = excluded.credential, name = excluded.name,
                    namedAt = excluded.namedAt, addresses = excluded.addresses, lastSeen = excluded.lastSeen
                """
        ).execute(arguments: [
            device.deviceID.data, Data(device.credential), device.name.text, device.name.givenAt,
            device.addresses.map(\.description).joined(separator: " "), device.lastSeen,
        ])
    }

    private func write(_ revocation: Revocation) throws {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO revocation (userID, deviceID, signature) VALUES (?, ?, ?)"
        ).execute(arguments: [revocation.userID.data, revocation.deviceID.data, Data(revocation.signature.bytes)])
    }
}

extension Rows {
    func ownDevices(_ db: Database) throws -> [OwnDeviceRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM ownDevice ORDER BY deviceID").map { row in
            // A time that no node takes any more was made up: any other name takes the place of this one.
            let namedAt: Int64 = row["namedAt"]
            guard let name = DeviceName(row["name"], givenAt: namedAt > Int64(Counting.largest) ? 0 : namedAt) else {
                throw StoreError.damaged("the name of a device", path: path)
            }
            return OwnDeviceRecord(
                deviceID: try identifier(row, "deviceID"), credential: Array(row["credential"] as Data), name: name,
                addresses: (row["addresses"] as String).split(separator: " ").compactMap { PeerAddress(String($0)) },
                lastSeen: row["lastSeen"])
        }
    }

    func revocations(_ db: Database) throws -> [Revocation] {
        try Row.fetchAll(db, sql: "SELECT * FROM revocation ORDER BY userID, deviceID").map { row in
            guard let signature = Signature(row["signature"] as Data) else {
                throw StoreError.damaged("a revocation", path: path)
            }
            return Revocation(
                userID: try identifier(row, "userID"), deviceID: try identifier(row, "deviceID"), signature: signature)
        }
    }
}
