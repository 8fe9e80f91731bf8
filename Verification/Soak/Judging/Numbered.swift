/// One of the two users: alice on host 1, bob on host 2.
enum Side: Int, CaseIterable, Sendable {
    case alice = 1
    case bob = 2

    var other: Side { self == .alice ? .bob : .alice }
    var name: String { self == .alice ? "alice" : "bob" }
}

/// Sends one message after another: the next once the last was accepted. So its numbers rise in every history.
struct Lane: Hashable, Sendable {
    let author: Side
    let index: Int
}

/// A message of one of several lanes, each of which sends one message after another.
protocol LaneMessage: Hashable, Sendable {
    associatedtype Lane: Hashable, Sendable

    var lane: Lane { get }
    /// From 1 on.
    var number: Int { get }
    /// The name of the user who sends on the lane.
    var authorName: String { get }

    init(lane: Lane, number: Int)
    /// - Returns: `nil` for a text that is not exactly one of a soak.
    init?(_ text: String)
}

/// A message, as its text says it: who wrote it, on which lane, and its number there, from 1 on.
struct Numbered: LaneMessage {
    let lane: Lane
    let number: Int

    var authorName: String { lane.author.name }

    /// Texts have various lengths, so frames and commits do, too.
    var text: String {
        "\(lane.author.name) \(lane.index) \(number) " + String(repeating: "x", count: number &* 37 % 160)
    }

    init(lane: Lane, number: Int) {
        self.lane = lane
        self.number = number
    }

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let author = Side.allCases.first(where: { $0.name == words[0] }),
            let index = Int(words[1]), let number = Int(words[2]), number > 0
        else { return nil }
        self.init(lane: Lane(author: author, index: index), number: number)
        guard self.text == text else { return nil }
    }
}
