/// What two ends say before there is a link.
extension Wire {
    struct Hello: WireMessage {
        var version: UInt32 = 0
        var networkTag = ""
        var pairingTag: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): version = UInt32(truncatingIfNeeded: value)
            case (2, .bytes(let bytes)): networkTag = try text(bytes)
            case (3, .bytes(let bytes)): pairingTag = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.varint(1, UInt64(version))
            writer.text(2, networkTag)
            writer.bytes(3, pairingTag)
        }
    }

    struct Introduction: WireMessage {
        var credential: Credential?
        var run: UInt64 = 0
        var refusal: UInt32 = 0
        var clock: Int64 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): credential = try Credential(merging: bytes, into: credential)
            case (2, .fixed64(let value)): run = value
            case (3, .varint(let value)): refusal = UInt32(truncatingIfNeeded: value)
            case (4, .varint(let value)): clock = Int64(bitPattern: value)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let credential { writer.message(1, credential) }
            writer.fixed64(2, run)
            writer.varint(3, UInt64(refusal))
            writer.varint(4, UInt64(bitPattern: clock))
        }
    }

    struct Credential: WireMessage, Hashable {
        var body: [UInt8] = []
        var signature: [UInt8] = []
        var deviceSignature: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): body = Array(bytes)
            case (2, .bytes(let bytes)): signature = Array(bytes)
            case (3, .bytes(let bytes)): deviceSignature = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, body)
            writer.bytes(2, signature)
            writer.bytes(3, deviceSignature)
        }
    }

    struct CredentialBody: WireMessage {
        var name = ""
        var identityKey: [UInt8] = []
        var deviceSigningKey: [UInt8] = []
        var deviceAgreementKey: [UInt8] = []
        var notBefore: Int64 = 0
        var notAfter: Int64 = 0
        var primary = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): name = try text(bytes)
            case (2, .bytes(let bytes)): identityKey = Array(bytes)
            case (3, .bytes(let bytes)): deviceSigningKey = Array(bytes)
            case (4, .bytes(let bytes)): deviceAgreementKey = Array(bytes)
            case (5, .varint(let value)): notBefore = Int64(bitPattern: value)
            case (6, .varint(let value)): notAfter = Int64(bitPattern: value)
            case (7, .varint(let value)): primary = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, name)
            writer.bytes(2, identityKey)
            writer.bytes(3, deviceSigningKey)
            writer.bytes(4, deviceAgreementKey)
            writer.varint(5, UInt64(bitPattern: notBefore))
            writer.varint(6, UInt64(bitPattern: notAfter))
            writer.varint(7, primary ? 1 : 0)
        }
    }
}
