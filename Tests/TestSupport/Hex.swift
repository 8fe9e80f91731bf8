/// Bytes as pairs of hexadecimal digits, in lower case.
package enum Hex {
    /// Reads a test's own constant or vector; anything but pairs of hexadecimal digits is a mistake in the test.
    package static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        precondition(digits.count == text.count && digits.count.isMultiple(of: 2), "not hexadecimal: \(text)")
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
