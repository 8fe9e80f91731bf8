import EarshotGateway

/// The part of a message in a history that is kept: there may be a million.
struct HistoryLine<Message: LaneMessage>: Sendable {
    /// `nil`: not of a soak, or not by whom it says.
    let message: Message?
    let isDelivered: Bool
    /// What a message is called that is shown as taken back.
    var retractedID: String?
    /// Whether it is one that its author takes back.
    var isWithdrawn = false
    /// A hash of everything that is the same for all users.
    let hash: Int

    /// How many messages only one of two histories has; if there are none, how many are in another place. The places of those that
    /// were taken back do not count: a device that was away does not know when they were written.
    static func differences(_ a: [HistoryLine], _ b: [HistoryLine]) -> Int {
        let taken = Set(a.compactMap(\.retractedID)).symmetricDifference(b.compactMap(\.retractedID)).count
        return taken + differencesInPlace(a.filter { $0.retractedID == nil }, b.filter { $0.retractedID == nil })
    }

    private static func differencesInPlace(_ a: [HistoryLine], _ b: [HistoryLine]) -> Int {
        let ofOne = Set(a.map(\.hash)).symmetricDifference(b.map(\.hash)).count
        return ofOne > 0 ? ofOne : zip(a, b).count { $0.hash != $1.hash } + abs(a.count - b.count)
    }
}

extension HistoryLine {
    init(_ message: GatewayMessage) {
        let known = Message(message.text)
        var hasher = Hasher()
        hasher.combine(message.id)
        hasher.combine(message.sender.id)
        hasher.combine(message.text)
        hasher.combine(message.timestampMilliseconds)
        self.init(
            message: known?.authorName == message.sender.name ? known : nil,
            isDelivered: message.recipients.allSatisfy { ["delivered", "handled", "read"].contains($0.state) },
            retractedID: message.isRetracted ? message.id : nil,
            isWithdrawn: message.isRetracted || Withdrawn.isText(message.text),
            hash: hasher.finalize())
    }
}
