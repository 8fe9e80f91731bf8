import EarshotModel
import TestSupport
import Testing

/// A signature whose key and commitment may have a part of small order, or be encoded otherwise than RFC 8032 has it.
///
/// With A = a·B + T_j, R = r·B + T_i and S = r + k·a, what is left of S·B = R + k·A is T_(i + k·j), where B is the base
/// point and T_i is `EdwardsPoint.torsion[i]`. Eight times it is neutral: a verifier that multiplies by the cofactor
/// accepts all of these, and one that does not accepts those whose `residue` is 0.
struct ForgedSignature {
    /// One half of it: a point, and how it is encoded.
    struct Half {
        /// The multiple of the base point; zero leaves a point of small order.
        let scalar: EdwardsScalar
        /// The index of the point of small order that is added.
        let torsion: Int
        let encoding: [UInt8]

        init(_ scalar: EdwardsScalar, torsion: Int) {
            self.scalar = scalar
            self.torsion = torsion
            encoding = (EdwardsPoint(base: scalar) + EdwardsPoint.torsion[torsion]).bytes
        }

        private init(smallOrder torsion: Int, encoding: [UInt8]) {
            scalar = .zero
            self.torsion = torsion
            self.encoding = encoding
        }

        /// Every encoding that is not canonical, of a point of small order: y not reduced modulo p, or the sign of an x
        /// of 0. Others have points of unknown discrete logarithm, with which nobody can sign.
        static let notCanonical: [Half] = [
            ("0100000000000000000000000000000000000000000000000000000000000080", 0),
            ("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", 0),
            ("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0),
            ("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 4),
            ("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", fourth(sign: 0)),
            ("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", fourth(sign: 0x80)),
        ].map { Half(smallOrder: $1, encoding: Hex.bytes($0)) }

        /// Which of the two points of order 4, whose y is 0, has this sign of x.
        private static func fourth(sign: UInt8) -> Int { EdwardsPoint.torsion[2].bytes[31] == sign ? 2 : 6 }
    }

    let message: [UInt8]
    let key: Bytes32
    let signature: Signature
    /// The index of the point of small order that is left of the equation.
    let residue: Int

    init(commitment: Half, key: Half, message: [UInt8]) throws {
        self.message = message
        let challenge = EdwardsScalar.challenge(commitment: commitment.encoding, key: key.encoding, message: message)
        let response = commitment.scalar + challenge * key.scalar
        self.key = try #require(Bytes32(key.encoding))
        signature = try #require(Signature(commitment.encoding + response.bytes))
        residue = (commitment.torsion + challenge.modulo8 * key.torsion) % 8
    }

    /// Signatures of as many messages. The challenge is as good as random: of 128 not one leaves the rest that is looked
    /// for with a probability below 10^-7.
    static func many(commitment: Half, key: Half, count: UInt8 = 128) throws -> [ForgedSignature] {
        try (0..<count).map { try ForgedSignature(commitment: commitment, key: key, message: [$0]) }
    }
}
