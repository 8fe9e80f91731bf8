import Foundation

/// A message that its author takes back: afterwards nobody shows it, and it is on no disk.
struct Withdrawn: Hashable, Sendable {
    private static let mark = "withdrawn"

    let author: GroupDevice
    let number: Int
    /// `nil`: the group.
    let recipient: Int?

    /// Whether a text is that of such a message.
    static func isText(_ text: String) -> Bool { text.hasPrefix(mark + "-") }

    var text: String { "\(Self.mark)-\(author.name)-\(number)-of-\(recipient ?? 0)" }

    /// Whether a user's devices get it.
    func reaches(_ user: Int) -> Bool { recipient.map { $0 == user || author.user == user } ?? true }

    /// How many of these texts the files of a home's database hold, in whatever form.
    static func count(in home: String) throws -> Int {
        try ["", "-wal"].reduce(0) { sum, end in
            let path = home + "/history.db" + end
            guard FileManager.default.fileExists(atPath: path) else { return sum }
            let (data, mark) = (try Data(contentsOf: URL(fileURLWithPath: path)), Data((mark + "-").utf8))
            var (count, start) = (0, data.startIndex)
            while let found = data.range(of: mark, in: start..<data.endIndex) {
                (count, start) = (count + 1, found.upperBound)
            }
            return sum + count
        }
    }
}
