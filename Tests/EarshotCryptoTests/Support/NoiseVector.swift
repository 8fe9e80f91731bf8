import EarshotCrypto
import Foundation
import TestSupport

/// One entry of the published vectors, in the schema that Noise implementations share.
struct NoiseVector: Decodable {
    struct Message: Decodable {
        let payload: String
        let ciphertext: String
    }

    let protocolName: String
    let initPrologue: String
    let initStatic: String
    let initEphemeral: String
    let initPsks: [String]?
    let respPrologue: String
    let respStatic: String
    let respEphemeral: String
    let respPsks: [String]?
    let handshakeHash: String
    let messages: [Message]
}

extension NoiseVector {
    private struct Collection: Decodable {
        let vectors: [NoiseVector]
    }

    /// The folder that the environment names, else the one beside the package.
    static var file: URL {
        let named = ProcessInfo.processInfo.environment["EARSHOT_VECTORS"].map { URL(filePath: $0) }
        let folder = named ?? PackageFolder.root.deletingLastPathComponent().appending(path: "shared/vectors")
        return folder.appending(path: "noise.json")
    }

    static var arePresent: Bool { FileManager.default.fileExists(atPath: file.path()) }

    static func all() throws -> [NoiseVector] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Collection.self, from: Data(contentsOf: file)).vectors
    }

    func handshake(_ pattern: HandshakePattern, role: HandshakeState.Role) throws -> HandshakeState {
        let isInitiator = role == .initiator
        let presharedKeys = isInitiator ? initPsks : respPsks
        return try HandshakeState(
            pattern: pattern,
            role: role,
            prologue: Hex.bytes(isInitiator ? initPrologue : respPrologue),
            staticKey: AgreementKey(secret: Hex.secret(isInitiator ? initStatic : respStatic)),
            ephemeralKey: AgreementKey(secret: Hex.secret(isInitiator ? initEphemeral : respEphemeral)),
            presharedKey: presharedKeys?.first.map(Hex.secret))
    }
}

extension Hex {
    static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: bytes(text)) }
}
