import Foundation
import TestSupport

/// docs/vectors.json and the copies of its values in docs/PROTOCOL.md.
///
/// The page holds one fenced block for each section, `vectors SECTION` behind the fence, with lines `name = value`;
/// what is indented continues the value before it.
enum VectorDocument {
    private static let docs = PackageFolder.root.appending(path: "docs")
    private static let file = docs.appending(path: "vectors.json")
    private static let page = docs.appending(path: "PROTOCOL.md")
    private static let fence = "```"
    private static let opening = "```vectors "
    private static let columns = 112

    /// What the file holds.
    static func inFile() throws -> [String: [String: String]] {
        try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: file))
    }

    /// What the page quotes.
    static func inPage() throws -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var section: String?
        var name = ""
        for line in try lines() {
            if line.hasPrefix(opening) {
                section = String(line.dropFirst(opening.count))
            } else if line == fence {
                section = nil
            } else if let section, !line.hasPrefix(" ") {
                let parts = line.split(separator: " ", maxSplits: 2)
                name = String(parts[0])
                sections[section, default: [:]][name] = parts.count == 3 ? String(parts[2]) : ""
            } else if let section {
                sections[section]?[name]?.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return sections
    }

    /// Writes both anew.
    static func write(_ sections: [String: [String: String]]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (try encoder.encode(sections) + Data("\n".utf8)).write(to: file)

        var output: [String] = []
        var isReplacing = false
        for line in try lines() {
            if line == fence { isReplacing = false }
            if !isReplacing { output.append(line) }
            guard line.hasPrefix(opening) else { continue }
            isReplacing = true
            output += block(sections[String(line.dropFirst(opening.count))] ?? [:])
        }
        try Data(output.joined(separator: "\n").utf8).write(to: page)
    }

    private static func lines() throws -> [String] {
        String(decoding: try Data(contentsOf: page), as: UTF8.self).components(separatedBy: "\n")
    }

    private static func block(_ values: [String: String]) -> [String] {
        values.sorted { $0.key < $1.key }.flatMap { name, value in
            let whole = "\(name) = \(value)"
            guard whole.count > columns else { return [whole] }
            let characters = Array(value)
            let parts = stride(from: 0, to: characters.count, by: columns - 4).map { start in
                "    " + String(characters[start..<min(start + columns - 4, characters.count)])
            }
            return ["\(name) ="] + parts
        }
    }
}
