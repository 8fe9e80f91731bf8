import CSodium
package import EarshotModel

extension Bytes32 {
    /// Compares in a time that does not depend on where two differ, so that nobody can find a secret's hash by trying.
    package func isEqualInConstantTime(to other: Bytes32) -> Bool {
        Sodium.start()
        return withUnsafeBytes { a in
            other.withUnsafeBytes { b in sodium_memcmp(a.baseAddress, b.baseAddress, Bytes32.count) == 0 }
        }
    }
}
