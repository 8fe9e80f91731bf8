import EarshotCrypto
import EarshotModel

/// Gives each entry of this device 16 bytes that nobody else can guess, so that the hash of a short text does not tell the
/// text. They follow from what the entry says: no chance is needed, and the same entry always has the same bytes.
struct EntrySalts: Sendable {
    static let count = 16

    private let hash: KeyedHash

    init(_ signingKey: SigningKey) { hash = KeyedHash(label: "earshot salt v2", secret: signingKey.seed) }

    /// - Parameters:
    ///   - body: an encoded entry without salt. Its time is left out, so an entry keeps its salt when it gets a new time.
    ///   - salt: has `count` bytes, all of which are written.
    func write(for body: [UInt8], to salt: UnsafeMutableRawBufferPointer) {
        hash.digest(of: EntryContent.withoutTime(body) ?? body[...], into: salt)
    }
}
