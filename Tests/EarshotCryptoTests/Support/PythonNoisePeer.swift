import EarshotCrypto
import Foundation
import TestSupport

/// The independent peer in its own process, connected.
final class PythonPeer {
    /// What it says of the handshake.
    struct Report: Decodable {
        let handshakeHash: String
        let remoteStaticKey: String
        let payloads: [String]
    }

    let stream: LoopbackStream
    private let process = Process()

    init(
        pattern: HandshakePattern, role: HandshakeState.Role, staticKey: AgreementKey, prologue: [UInt8],
        presharedKey: SecretBytes?
    ) throws {
        let listener = try LoopbackListener()
        process.executableURL = try PythonEnvironment.interpreter()
        process.arguments = [
            PackageFolder.fixtures(of: "EarshotCryptoTests").appending(path: "noise_peer.py").path(),
            "--role", role == .initiator ? "initiator" : "responder",
            "--port", String(listener.port),
            "--protocol", pattern.protocolName,
            "--static", staticKey.secret.withUnsafeBytes { Hex.text(Array($0)) },
            "--prologue", Hex.text(prologue),
        ]
        if let presharedKey {
            process.arguments?.append(contentsOf: ["--psk", presharedKey.withUnsafeBytes { Hex.text(Array($0)) }])
        }
        try process.start()
        do {
            stream = try listener.accept()
        } catch {
            process.terminate()
            throw error
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// - Returns: the exit status, once it ended.
    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
