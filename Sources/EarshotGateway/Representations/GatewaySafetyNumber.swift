import Earshot

/// The number that this node's user and another compare, to be sure that nobody is in between.
package struct GatewaySafetyNumber: Codable, Hashable, Sendable {
    package let user: GatewayUser
    /// 60 digits, the same on both sides.
    package let digits: String
    /// The digits in groups of five.
    package let text: String
    /// The digits as a QR code: rows of `1`, dark, and `0`, light. A node that has none to give leaves it out.
    package let qr: [String]?
}

extension GatewaySafetyNumber {
    init(user: GatewayUser, number: SafetyNumber) {
        self.user = user
        digits = number.digits
        text = number.description
        qr = QRCode(number)?.rows
    }
}
