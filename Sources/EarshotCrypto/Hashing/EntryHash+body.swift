package import EarshotModel

extension EntryHash {
    private static let beginning = Blake2b(label: "earshot entry v1")

    /// The hash of an entry's encoded body.
    package static func of(body: [UInt8]) -> EntryHash {
        var hash = beginning
        hash.update(body)
        return EntryHash(hash.finalize())
    }
}
