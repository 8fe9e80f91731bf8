import EarshotCrypto
import EarshotModel

/// Turns idempotency keys of programs into the bytes that stand in entries. A device gives a key the same bytes for ever,
/// so an own log that a peer gives back brings them; nobody else can tell which key they were.
struct EntryKeys: Sendable {
    private let hash: KeyedHash

    init(_ signingKey: SigningKey) {
        hash = KeyedHash(label: "earshot idempotency v1", secret: signingKey.seed)
    }

    /// The key of an answer that its program gave none: the same whenever a consumer answers that message again.
    /// - Parameter place: which of the answers to the message it is, from 0.
    func key(ofAnswer place: Int, to messageID: MessageID, by consumer: String) -> EntryKey {
        let bytes = SignedBytes(label: "earshot idempotency answer v1").adding(messageID.log).adding(messageID.sequence)
            .adding(UInt64(place)).adding(Array(consumer.utf8)).bytes
        return key(bytes)
    }

    /// - Parameters:
    ///   - name: the program's key. Those of a token are other bytes than the same keys of anybody else.
    ///   - place: which message of a call it is, from 0.
    ///   - recipient: which recipient of a call with several it is for, from 0.
    func key(_ name: IdempotencyKey, place: Int, recipient: Int? = nil) -> EntryKey {
        let bytes =
            recipient.map { SignedBytes(label: "earshot idempotency recipient v1").adding(UInt64($0)) }
            ?? SignedBytes(label: "earshot idempotency key v1")
        let whole = bytes.adding(UInt64(place)).adding(Array(name.text.utf8)).bytes
        guard let token = name.token.map({ Array($0.utf8) }) else { return key(whole) }
        return key(
            SignedBytes(label: "earshot idempotency token v1").adding(UInt64(token.count)).adding(token).adding(whole)
                .bytes)
    }

    private func key(_ bytes: [UInt8]) -> EntryKey {
        guard let key = EntryKey(hash.digest(of: bytes[...], count: EntryKey.count)) else {
            preconditionFailure("a digest has as many bytes as were asked for")
        }
        return key
    }
}
