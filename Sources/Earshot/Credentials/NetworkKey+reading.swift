extension NetworkKey {
    /// The greatest length of a text; a longer one is refused.
    public static let maximumTextBytes = SecretText.maximumBytes

    /// Reads the text of a key from a file that is its owner's alone.
    /// - Throws: `EarshotError` `looseHome` for a file that others may read, `invalidNetworkKey`.
    public init(file path: String) throws(EarshotError) {
        self = try PrivateFile.with(path, orThrow: .invalidNetworkKey) { (descriptor) throws(EarshotError) in
            try NetworkKey(readingFrom: descriptor)
        }
    }

    /// Reads the text of a key from a file descriptor.
    /// - Parameters:
    ///   - descriptor: an open file descriptor; it stays open.
    ///   - isLine: whether to stop at the end of the first line, as on a terminal.
    /// - Throws: `EarshotError` `invalidNetworkKey`.
    public init(readingFrom descriptor: Int32, isLine: Bool = false) throws(EarshotError) {
        self.init(secret: try SecretText.networkKey.secret(readingFrom: descriptor, isLine: isLine))
    }
}
