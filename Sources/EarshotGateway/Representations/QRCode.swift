import CQREncode
import Earshot

/// A safety number as a QR code (ISO/IEC 18004), which a camera reads without mistakes.
struct QRCode {
    /// From above, each from the left: `1` is dark, `0` light. Without the margin.
    let rows: [String]

    /// Squares on each side.
    static let size = 25
    /// The version of that size. With the level of correction that mends 15 % of a code it holds 63 digits.
    private static let version: Int32 = 2

    /// - Returns: `nil` if there is no memory for it.
    init?(_ number: SafetyNumber) {
        guard let input = QRinput_new2(Self.version, QR_ECLEVEL_M) else { return nil }
        defer { QRinput_free(input) }
        let digits = Array(number.digits.utf8)
        guard QRinput_append(input, QR_MODE_NUM, Int32(digits.count), digits) == 0,
            let code = QRcode_encodeInput(input)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        rows = (0..<width).map { row in
            // The lowest bit of a byte says whether a square is dark; the others say what it is for.
            String((0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 ? "1" : "0" })
        }
    }
}
