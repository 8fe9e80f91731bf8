import EarshotGateway

/// The part of a message in a history that is kept: there may be a million.
struct HistoryLine: Sendable {
    /// `nil`: not of a soak, or not by whom it says.
    let message: Numbered?
    let isDelivered: Bool
    /// A hash of everything that is the same for both users.
    let hash: Int

    /// How many messages only one of two histories has; if there are none, how many are in another place.
    static func differences(_ a: [HistoryLine], _ b: [HistoryLine]) -> Int {
        let ofOne = Set(a.map(\.hash)).symmetricDifference(b.map(\.hash)).count
        return ofOne > 0 ? ofOne : zip(a, b).count { $0.hash != $1.hash } + abs(a.count - b.count)
    }
}

extension HistoryLine {
    init(_ message: GatewayMessage) {
        let numbered = Numbered(message.text)
        var hasher = Hasher()
        hasher.combine(message.id)
        hasher.combine(message.sender.id)
        hasher.combine(message.text)
        hasher.combine(message.timestampMilliseconds)
        self.init(
            message: numbered?.lane.author.name == message.sender.name ? numbered : nil,
            isDelivered: message.recipients.allSatisfy { ["delivered", "read"].contains($0.state) },
            hash: hasher.finalize())
    }
}
