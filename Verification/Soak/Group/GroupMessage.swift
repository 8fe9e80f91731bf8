/// A device of one of the users of a group: both are counted from 1.
struct GroupDevice: Hashable, Sendable {
    let user: Int
    let number: Int

    var userName: String { "u\(user)" }
    var name: String { "u\(user).\(number)" }
}

/// Where a device sends one message after another: to the group, or directly to another user.
struct GroupLane: Hashable, Sendable {
    let author: GroupDevice
    let index: Int
    /// `nil`: the group.
    let recipient: Int?

    /// Whether a user's devices get what is sent here, the author's own other devices among them.
    func reaches(_ user: Int) -> Bool { recipient.map { $0 == user || author.user == user } ?? true }
}

/// A message of a lane: its text says who wrote it, where, and its number.
struct GroupMessage: LaneMessage {
    let lane: GroupLane
    let number: Int

    var authorName: String { lane.author.userName }

    /// Texts have various lengths, so frames and commits do, too.
    var text: String {
        let (author, recipient) = (lane.author, lane.recipient ?? 0)
        return "\(author.user) \(author.number) \(lane.index) \(recipient) \(number) "
            + String(repeating: "x", count: number &* 37 % 160)
    }

    init(lane: GroupLane, number: Int) {
        self.lane = lane
        self.number = number
    }

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let numbers = words.prefix(5).compactMap { Int($0) }
        guard words.count == 6, numbers.count == 5, numbers[4] > 0 else { return nil }
        let lane = GroupLane(
            author: GroupDevice(user: numbers[0], number: numbers[1]), index: numbers[2],
            recipient: numbers[3] == 0 ? nil : numbers[3])
        self.init(lane: lane, number: numbers[4])
        guard self.text == text else { return nil }
    }
}
