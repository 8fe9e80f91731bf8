import EarshotCrypto
import EarshotProtocol
import Logging
import NIOCore

/// What the machine wants done for the user's devices.
extension NodeShell {
    func perform(_ task: DeviceTask) {
        switch task {
        case .pairingChanged: events.pairing.signal()
        case .issue(let request, let withIdentity):
            storage.credentials.grant(request, withIdentity: withIdentity) { [self] result in
                loop.execute { self.assumeIsolated { $0.issued(request, result) } }
            }
        case .adopt(let credential):
            storage.credentials.adopt(credential) { [self] result in
                loop.execute { self.assumeIsolated { $0.adopted(credential, result) } }
            }
        }
    }

    private func issued(
        _ request: CredentialRequest, _ result: Result<(CredentialGrant, SecretBytes?), EarshotError>
    ) {
        switch result {
        case .success(let (grant, identity)):
            perform { $0.issued(request, grant, identity: identity, now: $1) }
        case .failure(let error):
            logger.warning("no credential was issued to a device", metadata: ["error": "\(error)"])
            perform { $0.issued(request, nil, now: $1) }
        }
    }

    private func adopted(_ credential: Credential, _ result: Result<Void, EarshotError>) {
        switch result {
        case .success: renew(credential)
        case .failure(let error):
            logger.error("a renewed credential cannot be written", metadata: ["error": "\(error)"])
        }
    }
}
