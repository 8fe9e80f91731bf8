import EarshotModel

/// The coding of frames that concern several devices of one user.
extension CredentialGrant {
    var wire: Wire.CredentialGrant { Wire.CredentialGrant(body: body, signature: signature.bytes) }

    init(_ wire: Wire.CredentialGrant) throws(ProtocolError) {
        guard wire.body.count + 2 * wire.signature.count <= Limits.credentialBytes else {
            throw ProtocolError(.malformed, "a credential is over \(Limits.credentialBytes) bytes")
        }
        guard let signature = Signature(wire.signature) else {
            throw ProtocolError(.malformed, "the signature of a credential has the wrong length")
        }
        self.init(body: wire.body, signature: signature)
    }
}

extension Revocation {
    var wire: Wire.Revocation {
        Wire.Revocation(
            userID: Wire.bytes(userID), deviceID: Wire.bytes(deviceID), signature: signature.bytes)
    }

    static func decode(_ wire: Wire.Revocations) throws(ProtocolError) -> [Revocation] {
        guard wire.revocations.count <= Limits.revocationsPerFrame else {
            throw ProtocolError(.violation, "a frame has more than \(Limits.revocationsPerFrame) revocations")
        }
        var revocations: [Revocation] = []
        for item in wire.revocations {
            guard let userID = UserID(bytes: item.userID), let deviceID = DeviceID(bytes: item.deviceID),
                let signature = Signature(item.signature)
            else { throw ProtocolError(.malformed, "a revocation has a field of the wrong length") }
            revocations.append(Revocation(userID: userID, deviceID: deviceID, signature: signature))
        }
        return revocations
    }
}

extension Wire.DeviceNames {
    init(_ names: [DeviceID: DeviceName]) {
        self.names = names.sorted { $0.key < $1.key }.map { deviceID, name in
            Wire.DeviceName(deviceID: Wire.bytes(deviceID), name: name.text, givenAt: name.givenAt)
        }
    }

    /// - Throws: `ProtocolError` `malformed`; `violation` for more names than a user has devices.
    func decoded() throws(ProtocolError) -> [DeviceID: DeviceName] {
        guard names.count <= Limits.ownDevices else {
            throw ProtocolError(.violation, "a frame names more than \(Limits.ownDevices) devices")
        }
        var decoded: [DeviceID: DeviceName] = [:]
        for item in names {
            guard let deviceID = DeviceID(bytes: item.deviceID), let name = DeviceName(item.name, givenAt: item.givenAt)
            else { throw ProtocolError(.malformed, "the name of a device is out of range") }
            decoded[deviceID] = name
        }
        return decoded
    }
}
