import EarshotModel

/// A message of `earshot.proto`, which says what its fields mean.
protocol WireMessage: Sendable {
    init()

    /// Takes one field that has come. A message passes over what it does not know, a field of another kind among them; of a
    /// field that comes twice the last counts.
    mutating func take(_ field: WireField) throws(WireError)

    func write(to writer: inout WireWriter)
}

extension WireMessage {
    /// Takes all fields of an encoded message: one that comes in two parts is both together.
    mutating func merge(_ bytes: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(bytes)
        while let field = try reader.next() { try take(field) }
    }

    init(merging bytes: ArraySlice<UInt8>, into earlier: Self? = nil) throws(WireError) {
        self = earlier ?? Self()
        try merge(bytes)
    }
}

/// The edge of the wire: values of the protocol become messages here, and nowhere above.
enum Wire {
    static func encode(_ message: some WireMessage) -> [UInt8] {
        var writer = WireWriter()
        message.write(to: &writer)
        return writer.bytes
    }

    /// - Parameter what: names it in the error: "a frame".
    static func decode<Message: WireMessage>(
        _: Message.Type, from bytes: [UInt8], as what: String
    ) throws(ProtocolError) -> Message {
        do { return try Message(merging: bytes[...]) } catch {
            throw ProtocolError(.malformed, "\(what) cannot be decoded")
        }
    }

    /// A number that this node may go on from, or compare with its own.
    /// - Parameter what: names it in the error: "the counter of a profile".
    /// - Throws: `ProtocolError` `malformed` where it is above `Counting.largest`.
    static func number(_ value: UInt64, as what: String) throws(ProtocolError) -> UInt64 {
        guard value <= Counting.largest else { throw ProtocolError(.malformed, "\(what) is over 2^53") }
        return value
    }

    static func text(_ bytes: ArraySlice<UInt8>) throws(WireError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw WireError() }
        return text
    }

    static func bytes(_ bytes: Bytes32) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
    static func bytes(_ identifier: some Identifier) -> [UInt8] { bytes(identifier.bytes32) }
}
