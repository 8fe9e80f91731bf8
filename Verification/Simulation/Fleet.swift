import EarshotCrypto
import EarshotModel
import EarshotProtocol

/// The users of simulations with a number of nodes, with their keys: made once, and the same in every run.
package struct Fleet: Sendable {
    /// A user's one device, and the key that can renew its credential.
    struct Member: Sendable {
        let identityKey: SigningKey
        let local: LocalDevice

        /// A credential that begins an hour before `now` and lasts as long as a node's do.
        func credential(name: UserName, now: Int64) -> Credential {
            .issue(
                name: name, identityKey: identityKey, deviceKey: local.signingKey,
                agreementKey: local.link.agreementKey.publicKey, notBefore: now - Timing.credentialBackdating,
                notAfter: now + Timing.credentialLifetime)
        }
    }

    let members: [Member]

    package init(nodes: Int) {
        var generator = SeededGenerator(seed: UInt64(nodes))
        members = (0..<nodes).map { index in
            let identityKey = generator.signingKey()
            let local = LocalDevice.generated(
                name: "user \(index)", identityKey: identityKey,
                notBefore: Simulation.epoch - Timing.credentialBackdating,
                notAfter: Simulation.epoch + Timing.credentialLifetime, using: &generator)
            return Member(identityKey: identityKey, local: local)
        }
    }
}
