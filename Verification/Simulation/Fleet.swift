import EarshotCrypto
import EarshotModel
import EarshotProtocol

/// The users of simulations with a number of nodes, with their keys: made once, and the same in every run.
package struct Fleet: Sendable {
    /// A user's device, and the key that can renew its credential.
    struct Member: Sendable {
        let identityKey: SigningKey
        let local: LocalDevice

        /// A credential that begins an hour before `now` and lasts as long as a node's do.
        func credential(name: UserName, now: Int64) -> Credential {
            .issue(
                name: name, identityKey: identityKey, deviceKey: local.signingKey,
                agreementKey: local.link.agreementKey.publicKey, isPrimary: local.link.credential.isPrimary,
                notBefore: now - Timing.credentialBackdating,
                notAfter: now + Timing.credentialLifetime)
        }
    }

    let members: [Member]

    package init(nodes: Int, devicesPerUser: Int = 1) {
        var generator = SeededGenerator(seed: UInt64(nodes))
        var identityKey: SigningKey?
        members = (0..<nodes).map { index in
            let isFirst = index.isMultiple(of: devicesPerUser)
            let key = (isFirst ? nil : identityKey) ?? generator.signingKey()
            identityKey = key
            let local = LocalDevice.generated(
                name: "user \(index / devicesPerUser)", identityKey: key,
                notBefore: Simulation.epoch - Timing.credentialBackdating,
                notAfter: Simulation.epoch + Timing.credentialLifetime, isPrimary: devicesPerUser > 1 && isFirst,
                using: &generator)
            return Member(identityKey: key, local: local)
        }
    }
}
