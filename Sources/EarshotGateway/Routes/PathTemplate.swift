import Earshot

/// A path with open places, like `/v1/users/{user}`.
struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Segment: Hashable, Sendable {
        case literal(Substring)
        case parameter(Substring)
    }

    let description: String
    private let segments: [Segment]

    /// - Parameter text: begins with a slash. A segment in braces is open, and has that name.
    init(_ text: String) {
        description = text
        segments = Self.split(text[...]).map { part in
            part.hasPrefix("{") && part.hasSuffix("}") ? .parameter(part.dropFirst().dropLast()) : .literal(part)
        }
    }

    /// The names of its open places.
    var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { String(name) } else { nil } }
    }

    /// - Returns: the texts in the open places, as they came; `nil` for another path.
    func match(_ path: String) -> [String: Substring]? {
        let parts = Self.split(path[...])
        guard parts.count == segments.count else { return nil }
        var parameters: [String: Substring] = [:]
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .literal(let literal): guard part == literal else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                parameters[String(name)] = part
            }
        }
        return parameters
    }

    /// How different a path is: the letters to be changed. An open place takes any text.
    func distance(to path: String) -> Int {
        let parts = Self.split(path[...])
        let missing = segments.dropFirst(parts.count).reduce(0) { $0 + $1.length }
        let extra = parts.dropFirst(segments.count).reduce(0) { $0 + 1 + $1.count }
        return zip(segments, parts).reduce(missing + extra) { sum, pair in
            guard case .literal(let literal) = pair.0 else { return sum + (pair.1.isEmpty ? 1 : 0) }
            return sum + EditDistance.between(String(literal), pair.1.lowercased())
        }
    }

    private static func split(_ path: Substring) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}

extension PathTemplate.Segment {
    fileprivate var length: Int {
        switch self {
        case .literal(let text): 1 + text.count
        case .parameter: 2
        }
    }
}
