import EarshotCrypto
import Testing

/// Expects that `body` throws a `CryptoError` of this code, and nothing else.
func expect<R>(
    _ code: CryptoError.Code, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) {
    do {
        _ = try body()
        Issue.record("expected \(code), and nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as CryptoError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record("expected \(code), not \(error)", sourceLocation: sourceLocation)
    }
}

extension [UInt8] {
    /// Every array that differs from this one by one bit.
    var withEachBitFlipped: some Sequence<[UInt8]> {
        (0..<count * 8).lazy.map { bit in
            var copy = self
            copy[bit / 8] ^= 1 << UInt8(bit % 8)
            return copy
        }
    }
}
