package import EarshotModel

extension EntryHash {
    /// The hash of an entry's encoded body.
    package static func of(body: [UInt8]) -> EntryHash {
        var hash = Blake2b(label: "earshot entry v1")
        hash.update(body)
        return EntryHash(hash.finalize())
    }
}
