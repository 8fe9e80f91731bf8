import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("A credential")
struct CredentialRoleTests {
    @Test("says whether its device is a primary one, and no linked device can say so of itself")
    func flag() throws {
        let family = Family()
        let encoded = family.primary.link.credential.encoded()
        #expect(try Credential(decoding: encoded).isPrimary)
        #expect(!family.linked.link.credential.isPrimary)
        // A linked device puts the flag into its own credential, and signs it with the only key that it has.
        let request = CredentialRequest(
            name: family.linked.name, deviceID: family.linked.deviceID,
            agreementKey: family.linked.link.credential.agreementKey, isPrimary: true, notBefore: 0,
            notAfter: 4_000_000_000_000)
        let forged = CredentialGrant.issue(request, identityKey: family.linked.signingKey)
        var body = try Wire.decode(Wire.CredentialBody.self, from: forged.body, as: "a credential")
        body.identityKey = Wire.bytes(family.linked.userID)
        let claim = CredentialGrant(body: Wire.encode(body), signature: forged.signature)
        #expect(throws: ProtocolError.self) { try claim.signed(by: family.linked.signingKey) }
    }

    @Test("that a primary device grants is signed by the device that it is for, and by no other")
    func grant() throws {
        let family = Family()
        let request = CredentialRequest(
            name: family.linked.name, deviceID: family.linked.deviceID,
            agreementKey: family.linked.link.credential.agreementKey, isPrimary: false, notBefore: 0,
            notAfter: 4_000_000_000_000)
        let grant = CredentialGrant.issue(request, identityKey: family.identityKey)
        #expect(try grant.signed(by: family.linked.signingKey).deviceID == family.linked.deviceID)
        #expect(throws: ProtocolError.self) { try grant.signed(by: family.friend.signingKey) }
    }

    @Test("is not replaced by an older one that somebody plays back")
    func replay() throws {
        let family = Family()
        let devices = DevicesMachine(family.linked)
        let now = Moment(wallClock: Family.now, uptime: 0)
        func grant(notAfter: Int64, isPrimary: Bool = false) -> CredentialGrant {
            let old = family.linked.link.credential
            return .issue(
                CredentialRequest(
                    name: old.name, deviceID: old.deviceID, agreementKey: old.agreementKey, isPrimary: isPrimary,
                    notBefore: old.notBefore, notAfter: notAfter), identityKey: family.identityKey)
        }
        let current = family.linked.link.credential.notAfter
        #expect(try devices.received(grant(notAfter: current - 1), local: family.linked, now: now).isEmpty)
        #expect(
            try devices.received(grant(notAfter: current + 1, isPrimary: true), local: family.linked, now: now).isEmpty)
        #expect(try devices.received(grant(notAfter: current + 1), local: family.linked, now: now).count == 1)
    }
}
