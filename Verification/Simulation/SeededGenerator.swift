package import EarshotCrypto
import EarshotModel

/// Random numbers that depend only on a seed (SplitMix64, Steele et al. 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Is true once in `n` times.
    package mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

    package mutating func secret() -> SecretBytes {
        var bytes: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: next().bigEndian) { bytes.append(contentsOf: $0) } }
        return SecretBytes(copying: bytes)
    }

    package mutating func signingKey() -> SigningKey {
        do { return try SigningKey(seed: secret()) } catch { preconditionFailure("32 bytes are a seed: \(error)") }
    }

    package mutating func agreementKey() -> AgreementKey {
        do { return try AgreementKey(secret: secret()) } catch { preconditionFailure("32 bytes are a key: \(error)") }
    }
}
