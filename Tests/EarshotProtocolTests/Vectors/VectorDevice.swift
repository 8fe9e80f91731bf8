import EarshotCrypto
import EarshotModel
import EarshotProtocol

/// A device of the test vectors: each of its secrets is 32 bytes that count up.
struct VectorDevice {
    let name: UserName
    let identitySecret: [UInt8]
    let signingSecret: [UInt8]
    let agreementSecret: [UInt8]
    let ephemeralSecret: [UInt8]
    let run: UInt64

    static let notBefore: Int64 = 1_700_000_000_000
    static let notAfter: Int64 = 1_702_592_000_000
    /// Between the two.
    static let now: Int64 = 1_701_000_000_000

    static func alice() throws -> VectorDevice {
        try VectorDevice("Alice", firstByte: 0x00, run: 0x0102_0304_0506_0708)
    }

    static func bob() throws -> VectorDevice {
        try VectorDevice("Bob", firstByte: 0x80, run: 0x1112_1314_1516_1718)
    }

    private init(_ name: String, firstByte: UInt8, run: UInt64) throws {
        func secret(_ offset: UInt8) -> [UInt8] { (0..<32).map { firstByte + offset + $0 } }
        self.name = try UserName(name)
        identitySecret = secret(0)
        signingSecret = secret(32)
        agreementSecret = secret(64)
        ephemeralSecret = secret(96)
        self.run = run
    }

    func signingKey() throws -> SigningKey { try SigningKey(seed: SecretBytes(copying: signingSecret)) }
    func ephemeralKey() throws -> AgreementKey { try AgreementKey(secret: SecretBytes(copying: ephemeralSecret)) }

    func local(networkKey: [UInt8]?) throws -> LocalDevice {
        let signing = try signingKey()
        let agreement = try AgreementKey(secret: SecretBytes(copying: agreementSecret))
        let credential = Credential.issue(
            name: name, identityKey: try SigningKey(seed: SecretBytes(copying: identitySecret)),
            deviceKey: signing, agreementKey: agreement.publicKey,
            notBefore: Self.notBefore, notAfter: Self.notAfter)
        return LocalDevice(
            signingKey: signing,
            link: LinkConfiguration(
                agreementKey: agreement, credential: credential,
                networkKey: networkKey.map { SecretBytes(copying: $0) }, run: run))
    }
}
