import EarshotCrypto
import Foundation

extension Home {
    /// The key of the network to which a node of this home belongs from its next start; `nil` if the node links to all
    /// nodes that have no key either.
    /// - Throws: `EarshotError` `notInitialized`, `looseHome`, `unusableHome`.
    public func networkKey() throws(EarshotError) -> NetworkKey? {
        try check()
        guard try PrivateFile.isThere(networkFile) else { return nil }
        return NetworkKey(secret: try readSecret(networkFile, KeyFileLabel.network, count: NetworkKey.byteCount))
    }

    /// Makes a network key, and joins its network.
    /// - Parameter isReplacing: whether an existing key may be lost.
    /// - Throws: `EarshotError` `networkKeyExists`, and nothing has changed; `notInitialized`, `looseHome`,
    ///   `unusableHome`.
    @discardableResult
    public func createNetworkKey(replacing isReplacing: Bool = false) throws(EarshotError) -> NetworkKey {
        let key = NetworkKey.generate()
        try joinNetwork(key, replacing: isReplacing)
        return key
    }

    /// Joins the network of a key. A running node belongs to it from its next start.
    /// - Parameters:
    ///   - key: the key of the network.
    ///   - isReplacing: whether another existing key may be lost.
    /// - Returns: whether anything changed.
    /// - Throws: `EarshotError` `networkKeyExists`, and nothing has changed; `notInitialized`, `looseHome`,
    ///   `unusableHome`.
    @discardableResult
    public func joinNetwork(_ key: NetworkKey, replacing isReplacing: Bool = false) throws(EarshotError) -> Bool {
        try check()
        if !isReplacing, let old = try networkKey() {
            guard old != key else { return false }
            throw EarshotError(
                .networkKeyExists, "\(path) belongs to the network \(old.tag) already, and its key would be lost",
                .init(path: path))
        }
        try write(KeyFileLabel.network, [key.secret], to: networkFile)
        return true
    }

    /// Forgets the network key. A running node leaves the network at its next start.
    /// - Returns: whether there was one.
    /// - Throws: `EarshotError` `notInitialized`, `looseHome`, `unusableHome`.
    @discardableResult
    public func leaveNetwork() throws(EarshotError) -> Bool {
        try check()
        return try PrivateFile.remove(networkFile)
    }
}
