/// Messages to one user that they have not signed for yet. Somebody whose cable was pulled counts as online until their link
/// is given up (docs/PROTOCOL.md, 2.8), which takes longer than a person waits without a word.
struct Unanswered {
    typealias Instant = ContinuousClock.Instant

    /// How long a message may be under way before its recipient is said not to answer.
    static let patience = Duration.seconds(3)
    /// Messages that are remembered. Any of them will do.
    private static let most = 1000

    private var sentAt: [String: Instant] = [:]
    private var heardAt: Instant?

    /// A message is on its way.
    mutating func sent(_ id: String, at now: Instant) { if sentAt.count < Self.most { sentAt[id] = now } }

    /// A message has arrived, or has failed.
    mutating func closed(_ id: String) { sentAt[id] = nil }

    /// The other user has shown that they are there.
    mutating func heard(at now: Instant) { heardAt = now }

    /// When they count as silent, unless something is heard before; `nil` if nothing is on its way.
    var deadline: Instant? {
        sentAt.values.min().map { max($0, heardAt ?? $0).advanced(by: Self.patience) }
    }

    func isSilent(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
