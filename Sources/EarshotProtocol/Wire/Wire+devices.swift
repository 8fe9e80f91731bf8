/// What concerns several devices of one user.
extension Wire {
    struct CredentialGrant: WireMessage {
        var body: [UInt8] = []
        var signature: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): body = Array(bytes)
            case (2, .bytes(let bytes)): signature = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, body)
            writer.bytes(2, signature)
        }
    }

    struct Revocations: WireMessage {
        var revocations: [Revocation] = []

        mutating func take(_ field: WireField) throws(WireError) {
            guard case (1, .bytes(let bytes)) = (field.number, field.value) else { return }
            revocations.append(try Revocation(merging: bytes))
        }

        func write(to writer: inout WireWriter) {
            for revocation in revocations { writer.message(1, revocation) }
        }
    }

    struct Revocation: WireMessage {
        var userID: [UInt8] = []
        var deviceID: [UInt8] = []
        var signature: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): userID = Array(bytes)
            case (2, .bytes(let bytes)): deviceID = Array(bytes)
            case (3, .bytes(let bytes)): signature = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, userID)
            writer.bytes(2, deviceID)
            writer.bytes(3, signature)
        }
    }

    struct DeviceNames: WireMessage {
        var names: [DeviceName] = []

        mutating func take(_ field: WireField) throws(WireError) {
            guard case (1, .bytes(let bytes)) = (field.number, field.value) else { return }
            names.append(try DeviceName(merging: bytes))
        }

        func write(to writer: inout WireWriter) {
            for name in names { writer.message(1, name) }
        }
    }

    struct Contacts: WireMessage {
        var credentials: [Credential] = []

        mutating func take(_ field: WireField) throws(WireError) {
            guard case (1, .bytes(let bytes)) = (field.number, field.value) else { return }
            credentials.append(try Credential(merging: bytes))
        }

        func write(to writer: inout WireWriter) {
            for credential in credentials { writer.message(1, credential) }
        }
    }

    struct DeviceName: WireMessage {
        var deviceID: [UInt8] = []
        var name = ""
        var givenAt: Int64 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): deviceID = Array(bytes)
            case (2, .bytes(let bytes)): name = try text(bytes)
            case (3, .varint(let value)): givenAt = Int64(bitPattern: value)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, deviceID)
            writer.text(2, name)
            writer.varint(3, UInt64(bitPattern: givenAt))
        }
    }
}
