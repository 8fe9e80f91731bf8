import Earshot

/// What this node's user and another compare, to be sure that nobody is in between.
public struct GatewaySafetyNumber: Codable, Hashable, Sendable {
    public let user: GatewayUser
    /// 60 digits, the same on both sides.
    public let digits: String
    /// The digits in groups of five.
    public let text: String
}

extension GatewaySafetyNumber {
    init(user: GatewayUser, number: SafetyNumber) {
        self.user = user
        digits = number.digits
        text = number.description
    }
}
