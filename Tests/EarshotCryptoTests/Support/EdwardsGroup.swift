import CSodium
import TestSupport

/// A point of edwards25519 in its canonical encoding (RFC 8032, section 5.1.2), whatever its order.
struct EdwardsPoint: Hashable {
    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    static let neutral = EdwardsPoint(bytes: [1] + [UInt8](repeating: 0, count: 31))

    /// The eight points whose order divides 8: `torsion[i]` is the first one of order 8, added i times.
    static let torsion = {
        let generator = EdwardsPoint(
            bytes: Hex.bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))
        var points = [neutral]
        while points.count < 8 { points.append(points[points.count - 1] + generator) }
        precondition(points[7] + generator == neutral && Set(points).count == 8, "the generator has order 8")
        return points
    }()

    /// A multiple of the base point.
    init(base scalar: EdwardsScalar) {
        var bytes = [UInt8](repeating: 0, count: 32)
        let status = crypto_scalarmult_ed25519_base_noclamp(&bytes, scalar.bytes)
        precondition(status == 0 || scalar == .zero, "a multiple of the base point")
        self.init(bytes: scalar == .zero ? Self.neutral.bytes : bytes)
    }

    static func + (a: EdwardsPoint, b: EdwardsPoint) -> EdwardsPoint {
        var sum = [UInt8](repeating: 0, count: 32)
        precondition(crypto_core_ed25519_add(&sum, a.bytes, b.bytes) == 0, "both are on the curve")
        return EdwardsPoint(bytes: sum)
    }
}

/// A number modulo the order L of the base point, little-endian.
struct EdwardsScalar: Hashable {
    let bytes: [UInt8]

    static let zero = EdwardsScalar(bytes: [UInt8](repeating: 0, count: 32))

    static func random() -> EdwardsScalar {
        var bytes = [UInt8](repeating: 0, count: 32)
        crypto_core_ed25519_scalar_random(&bytes)
        return EdwardsScalar(bytes: bytes)
    }

    /// RFC 8032, section 5.1.7, step 2: SHA-512 of commitment, key and message, modulo L.
    static func challenge(commitment: [UInt8], key: [UInt8], message: [UInt8]) -> EdwardsScalar {
        let input = commitment + key + message
        var digest = [UInt8](repeating: 0, count: 64)
        crypto_hash_sha512(&digest, input, UInt64(input.count))
        var bytes = [UInt8](repeating: 0, count: 32)
        crypto_core_ed25519_scalar_reduce(&bytes, digest)
        return EdwardsScalar(bytes: bytes)
    }

    var modulo8: Int { Int(bytes[0] & 7) }

    static func + (a: EdwardsScalar, b: EdwardsScalar) -> EdwardsScalar {
        var sum = [UInt8](repeating: 0, count: 32)
        crypto_core_ed25519_scalar_add(&sum, a.bytes, b.bytes)
        return EdwardsScalar(bytes: sum)
    }

    static func * (a: EdwardsScalar, b: EdwardsScalar) -> EdwardsScalar {
        var product = [UInt8](repeating: 0, count: 32)
        crypto_core_ed25519_scalar_mul(&product, a.bytes, b.bytes)
        return EdwardsScalar(bytes: product)
    }
}

extension [UInt8] {
    /// The same scalar, little-endian, with L added: another encoding of it.
    var plusL: [UInt8] {
        let order = Hex.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        let sum = zip(self, order).map { byte, other in
            carry += Int(byte) + Int(other)
            defer { carry >>= 8 }
            return UInt8(carry & 0xff)
        }
        precondition(count == order.count && carry == 0, "a scalar of 32 bytes, to which L can be added")
        return sum
    }
}
