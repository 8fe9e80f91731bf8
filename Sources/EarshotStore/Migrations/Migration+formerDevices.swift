import GRDB

extension Migration {
    /// A device that was replaced by the one that its backup was restored as is one of the user's until they revoke it.
    static let formerDevices = Migration("30: former devices") { db in
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO ownDevice (deviceID, credential, name, namedAt, addresses, lastSeen)
                    SELECT deviceID, credential, '', 0, '', 0 FROM replacedDevice
                """)
    }
}
