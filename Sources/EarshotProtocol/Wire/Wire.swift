import EarshotModel
import Foundation
import SwiftProtobuf

/// The edge of the generated code. Only here do values of the protocol become messages on the wire.
enum Wire {
    static func encode(_ message: some SwiftProtobuf.Message) -> [UInt8] {
        do { return try message.serializedBytes() } catch {
            preconditionFailure("a proto3 message without required fields can always be encoded: \(error)")
        }
    }

    /// - Parameter what: names it in the error: "a frame".
    static func decode<Message: SwiftProtobuf.Message>(
        _: Message.Type, from bytes: [UInt8], as what: String
    ) throws(ProtocolError) -> Message {
        do { return try Message(serializedBytes: bytes) } catch {
            throw ProtocolError(.malformed, "\(what) cannot be decoded")
        }
    }

    static func data(_ bytes: [UInt8]) -> Data { Data(bytes) }
    static func data(_ bytes: Bytes32) -> Data { bytes.withUnsafeBytes { Data($0) } }
    static func data(_ identifier: some Identifier) -> Data { data(identifier.bytes32) }
}
