import GRDB

extension Migration {
    /// Which device of a private conversation's owner decides, as programs were told last.
    static let decidingDevices = Migration("32: devices that decide") { db in
        try db.execute(
            sql: "ALTER TABLE conversation ADD COLUMN decidingDeviceID BLOB CHECK (length(decidingDeviceID) = 32)")
    }
}
