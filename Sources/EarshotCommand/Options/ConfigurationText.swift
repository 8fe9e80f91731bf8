import Yams

/// What stands in a configuration file: YAML, in which each key has a value or a list of values.
struct ConfigurationText {
    struct Entry: Equatable {
        let key: String
        let values: [String]
        let line: Int
    }

    /// Why the text cannot be read.
    struct Problem: Error {
        let line: Int
        let message: String
    }

    let entries: [Entry]

    init(_ text: String) throws(Problem) {
        let root: Node?
        do { root = try compose(yaml: text) } catch { throw Self.problem(error) }
        guard let root, root.null == nil else {
            entries = []
            return
        }
        guard case .mapping(let mapping) = root else {
            throw Problem(line: root.mark?.line ?? 1, message: "each line is a key, a colon and a value")
        }
        var entries: [Entry] = []
        for (key, value) in mapping { entries.append(try Self.entry(key, value)) }
        self.entries = entries
    }

    private static func entry(_ key: Node, _ value: Node) throws(Problem) -> Entry {
        let line = key.mark?.line ?? 1
        guard case .scalar(let name) = key else { throw Problem(line: line, message: "a key is one word") }
        switch value {
        case .scalar(let scalar): return Entry(key: name.string, values: [scalar.string], line: line)
        case .sequence(let sequence):
            var values: [String] = []
            for item in sequence {
                guard case .scalar(let scalar) = item else {
                    throw Problem(
                        line: item.mark?.line ?? line, message: "an item of \(name.string) is no single value")
                }
                values.append(scalar.string)
            }
            return Entry(key: name.string, values: values, line: line)
        case .mapping, .alias:
            throw Problem(line: line, message: "\(name.string) takes a value or a list of values")
        }
    }

    private static func problem(_ error: any Error) -> Problem {
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            Problem(line: mark.line, message: "this is not YAML: \(problem)")
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            Problem(line: context.mark.line, message: "\(keys.joined(separator: ", ")) stands here more than once")
        default: Problem(line: 1, message: "this is not YAML: \(error)")
        }
    }
}
