import Foundation

/// A message beside the lanes. It may be cancelled, written to somebody who blocks its author or was removed, or by a device that
/// is revoked, and bring along a file: what becomes of it, the histories say in the end.
struct Aside: Hashable, Sendable {
    private static let mark = "aside-"
    private static let end = "-end"

    let author: GroupDevice
    let number: Int

    var text: String { "\(Self.mark)\(author.name)-\(number)\(Self.end)" }

    /// Whether a text is that of such a message.
    static func isText(_ text: String) -> Bool { text.hasPrefix(mark) }

    /// Which of these texts the files of a home's database hold, in whatever form.
    static func texts(in home: String) throws -> Set<String> {
        var texts: Set<String> = []
        for end in ["", "-wal"] {
            let path = home + "/history.db" + end
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let (data, mark) = (try Data(contentsOf: URL(fileURLWithPath: path)), Data(mark.utf8))
            var start = data.startIndex
            while let found = data.range(of: mark, in: start..<data.endIndex) {
                start = found.upperBound
                let rest = data[found.lowerBound..<min(data.endIndex, found.lowerBound + 40)]
                guard let last = rest.range(of: Data(Self.end.utf8)) else { continue }
                texts.insert(String(decoding: data[found.lowerBound..<last.upperBound], as: UTF8.self))
            }
        }
        return texts
    }
}

/// How many messages were sent beside the lanes, why others were refused, and what was decided.
struct AsideCounts: Sendable {
    /// How many tasks send or decide.
    var running = 0
    var sent = 0
    /// By the code of the error.
    var refused: [String: Int] = [:]
    var decided: [String: Int] = [:]

    var summary: String {
        let refused = refused.values.reduce(0, +)
        let decided = decided.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return (["\(sent) messages", "\(refused) refused"] + decided).joined(separator: ", ")
    }
}
