/// What two devices say to pair.
extension Wire {
    struct Pairing: WireMessage {
        enum Content: Sendable {
            case request(PairingRequest)
            case offer(PairingOffer)
            case decision(PairingDecision)
            case gift(PairingGift)
            case result(PairingResult)
        }

        var content: Content?

        init() {}

        init(_ content: Content) { self.content = content }

        mutating func take(_ field: WireField) throws(WireError) {
            guard case .bytes(let bytes) = field.value else { return }
            switch (field.number, content) {
            case (1, .request(let earlier)): content = .request(try PairingRequest(merging: bytes, into: earlier))
            case (1, _): content = .request(try PairingRequest(merging: bytes))
            case (2, .offer(let earlier)): content = .offer(try PairingOffer(merging: bytes, into: earlier))
            case (2, _): content = .offer(try PairingOffer(merging: bytes))
            case (3, .decision(let earlier)): content = .decision(try PairingDecision(merging: bytes, into: earlier))
            case (3, _): content = .decision(try PairingDecision(merging: bytes))
            case (4, .gift(let earlier)): content = .gift(try PairingGift(merging: bytes, into: earlier))
            case (4, _): content = .gift(try PairingGift(merging: bytes))
            case (5, .result(let earlier)): content = .result(try PairingResult(merging: bytes, into: earlier))
            case (5, _): content = .result(try PairingResult(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            switch content {
            case .request(let request): writer.message(1, request)
            case .offer(let offer): writer.message(2, offer)
            case .decision(let decision): writer.message(3, decision)
            case .gift(let gift): writer.message(4, gift)
            case .result(let result): writer.message(5, result)
            case nil: break
            }
        }
    }

    struct PairingRequest: WireMessage {
        var deviceSigningKey: [UInt8] = []
        var deviceName = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): deviceSigningKey = Array(bytes)
            case (2, .bytes(let bytes)): deviceName = try text(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, deviceSigningKey)
            writer.text(2, deviceName)
        }
    }

    struct PairingOffer: WireMessage {
        var credential: Credential?
        var deviceName = ""
        var primary = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): credential = try Credential(merging: bytes, into: credential)
            case (2, .bytes(let bytes)): deviceName = try text(bytes)
            case (3, .varint(let value)): primary = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let credential { writer.message(1, credential) }
            writer.text(2, deviceName)
            writer.varint(3, primary ? 1 : 0)
        }
    }

    struct PairingDecision: WireMessage {
        var accepted = false

        mutating func take(_ field: WireField) {
            guard case (1, .varint(let value)) = (field.number, field.value) else { return }
            accepted = value != 0
        }

        func write(to writer: inout WireWriter) { writer.varint(1, accepted ? 1 : 0) }
    }

    struct PairingGift: WireMessage {
        var grant: CredentialGrant?
        var networkKey: [UInt8] = []
        var identityKey: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): grant = try CredentialGrant(merging: bytes, into: grant)
            case (2, .bytes(let bytes)): networkKey = Array(bytes)
            case (3, .bytes(let bytes)): identityKey = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let grant { writer.message(1, grant) }
            writer.bytes(2, networkKey)
            writer.bytes(3, identityKey)
        }
    }

    struct PairingResult: WireMessage {
        var credential: Credential?

        mutating func take(_ field: WireField) throws(WireError) {
            guard case (1, .bytes(let bytes)) = (field.number, field.value) else { return }
            credential = try Credential(merging: bytes, into: credential)
        }

        func write(to writer: inout WireWriter) { if let credential { writer.message(1, credential) } }
    }
}
