package import GRDB

extension Configuration {
    /// Of a test that opens a database which a node may be using. Without it SQLite gives up at once where a node writes,
    /// or where one that has stopped is only now released and ends its use of the file.
    package static var patient: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return configuration
    }
}
