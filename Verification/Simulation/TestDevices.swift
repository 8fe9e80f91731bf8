package import EarshotCrypto
import EarshotModel
package import EarshotProtocol

extension LocalDevice {
    /// A device of a user who exists for a test: all its keys come from the generator.
    package static func generated(
        name: String, identityKey: SigningKey? = nil, networkKey: SecretBytes? = nil, run: UInt64 = 1,
        notBefore: Int64 = 0,
        notAfter: Int64 = 4_000_000_000_000, isPrimary: Bool = false,
        using generator: inout SeededGenerator
    ) -> LocalDevice {
        let signing = generator.signingKey()
        let agreement = generator.agreementKey()
        let userName: UserName
        do { userName = try UserName(name) } catch { preconditionFailure("\(name) is no name: \(error)") }
        let credential = Credential.issue(
            name: userName, identityKey: identityKey ?? generator.signingKey(), deviceKey: signing,
            agreementKey: agreement.publicKey, isPrimary: isPrimary, notBefore: notBefore, notAfter: notAfter)
        return LocalDevice(
            signingKey: signing,
            link: LinkConfiguration(
                agreementKey: agreement, credential: credential, networkKey: networkKey, run: run))
    }
}
