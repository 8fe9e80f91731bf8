extension Home {
    /// The port that the node last listened on, if it is known. A file that cannot be read, or holds no port, counts as
    /// none: it only spares peers a look-up, and the node writes it anew.
    package var lastPort: UInt16? {
        guard let bytes = try? PrivateFile.read(portFile) else { return nil }
        let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return UInt16(text.prefix { $0 != "\n" }).flatMap { $0 > 0 ? $0 : nil }
    }

    /// - Throws: `EarshotError` `unusableHome`.
    func setLastPort(_ port: UInt16) throws(EarshotError) {
        guard port != lastPort else { return }
        try Self.writePrivate(Array("\(port)\n".utf8), to: portFile)
    }
}
