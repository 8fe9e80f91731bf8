import GRDB

extension Migration {
    /// The devices of this node's own user, and the devices of anybody that are revoked. Neither needs a user whom this
    /// node has met.
    static let devices = Migration("16: own devices and revocations") { db in
        try db.execute(
            sql: """
                CREATE TABLE ownDevice (
                    deviceID BLOB PRIMARY KEY CHECK (length(deviceID) = 32),
                    credential BLOB NOT NULL,
                    name TEXT NOT NULL,
                    namedAt INTEGER NOT NULL,
                    addresses TEXT NOT NULL,
                    lastSeen INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE revocation (
                    userID BLOB NOT NULL CHECK (length(userID) = 32),
                    deviceID BLOB NOT NULL CHECK (length(deviceID) = 32),
                    signature BLOB NOT NULL CHECK (length(signature) = 64),
                    PRIMARY KEY (userID, deviceID)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
