import EarshotCrypto
import EarshotModel
import Testing

/// The rule of docs/PROTOCOL.md, section 3.5, held by signatures of the classes of the CCTV set (C2SP/CCTV, ed25519),
/// on which verifiers of different libraries disagree.
@Suite("A signature that Ed25519 verifiers may disagree on")
struct Ed25519EquationTests {
    typealias Half = ForgedSignature.Half

    /// The pairs of parts of small order that a commitment and a key may have: (0, 0) is an honest signature.
    static let components = (0..<8).flatMap { i in (0..<8).map { j in (i, j) } }

    @Test("is valid if and only if S·B = R + k·A holds without the cofactor", arguments: components)
    func equation(commitmentPart: Int, keyPart: Int) throws {
        let forged = try ForgedSignature.many(
            commitment: Half(.random(), torsion: commitmentPart), key: Half(.random(), torsion: keyPart))
        for one in forged { #expect(isValid(one) == (one.residue == 0)) }
    }

    @Test("is made both valid and invalid by a key of mixed order, from one message to the next", arguments: 1..<8)
    func mixedKey(part: Int) throws {
        let forged = try ForgedSignature.many(
            commitment: Half(.random(), torsion: 0), key: Half(.random(), torsion: part))
        #expect(Set(forged.map(isValid)) == [true, false])
    }

    @Test("is refused if its key is of small order, even where the equation holds", arguments: components)
    func smallOrderKey(commitmentPart: Int, keyPart: Int) throws {
        let forged = try ForgedSignature.many(
            commitment: Half(.random(), torsion: commitmentPart), key: Half(.zero, torsion: keyPart))
        #expect(!forged.contains(where: isValid))
        // An even part of the key never cancels an odd one of the commitment.
        let canHold = (0..<8).contains { (commitmentPart + $0 * keyPart) % 8 == 0 }
        #expect(forged.contains { $0.residue == 0 } == canHold)
    }

    @Test("is refused if its commitment is of small order, even where the equation holds", arguments: components)
    func smallOrderCommitment(commitmentPart: Int, keyPart: Int) throws {
        let forged = try ForgedSignature.many(
            commitment: Half(.zero, torsion: commitmentPart), key: Half(.random(), torsion: keyPart))
        #expect(!forged.contains(where: isValid))
    }

    @Test("is refused if its key is not canonically encoded, even where the equation holds", arguments: 0..<8)
    func keyEncoding(commitmentPart: Int) throws {
        for key in Half.notCanonical {
            let forged = try ForgedSignature.many(commitment: Half(.random(), torsion: commitmentPart), key: key)
            #expect(!forged.contains(where: isValid))
        }
    }

    @Test("is refused if its commitment is not canonically encoded, even where the equation holds", arguments: 0..<8)
    func commitmentEncoding(keyPart: Int) throws {
        for commitment in Half.notCanonical {
            let forged = try ForgedSignature.many(commitment: commitment, key: Half(.random(), torsion: keyPart))
            #expect(!forged.contains(where: isValid))
        }
    }

    @Test("is refused if L was added to S, also with a commitment and a key of mixed order")
    func unreducedScalar() throws {
        let forged = try ForgedSignature.many(commitment: Half(.random(), torsion: 3), key: Half(.random(), torsion: 1))
        let valid = try #require(forged.first { $0.residue == 0 })
        #expect(isValid(valid))
        let bytes = valid.signature.bytes
        let unreduced = try #require(Signature(bytes.prefix(32) + Array(bytes.suffix(32)).plusL))
        #expect(!Ed25519.isValid(unreduced, for: valid.message, by: valid.key))
    }

    @Test("is refused if its key is no point of the curve")
    func notOnTheCurve() throws {
        let honest = Half(.random(), torsion: 0)
        let forged = try ForgedSignature(commitment: honest, key: honest, message: [])
        // y = 2: (y² − 1) / (d·y² + 1) is no square.
        let key = try #require(Bytes32([2] + [UInt8](repeating: 0, count: 31)))
        #expect(!Ed25519.isValid(forged.signature, for: forged.message, by: key))
    }

    private func isValid(_ forged: ForgedSignature) -> Bool {
        Ed25519.isValid(forged.signature, for: forged.message, by: forged.key)
    }
}
