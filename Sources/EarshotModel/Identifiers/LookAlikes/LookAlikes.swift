/// Names by their looks: finds for each of many names which others look like it, in the time of one look-up.
public struct LookAlikes: Sendable {
    /// The names that look alike.
    private struct Group {
        var names: [UserName] = []
        /// Those that are not deceptive, without regard to case: at most two, which is enough to know that there is
        /// another.
        var honest: [String] = []
    }

    private var groups: [String: Group] = [:]

    public init(_ names: some Sequence<UserName>) {
        for name in Set(names) { insert(name) }
        for skeleton in groups.keys { groups[skeleton]?.names.sort() }
    }

    /// The other names that look like this one, in the order of their text. This one need not be among the names.
    public func names(like name: UserName) -> [UserName] {
        (groups[name.skeleton]?.names ?? []).filter { $0 != name }
    }

    /// How the name is shown among these; see `UserName.displayed(among:)`.
    public func displayed(_ name: UserName) -> String {
        if name.isDeceptive {
            return name.hasConfusable ? name.escaping(\.isConfusable) : name.escaping { !$0.isASCII }
        }
        return name.hasConfusable && hasHonestTwin(name) ? name.escaping(\.isConfusable) : name.text
    }

    private mutating func insert(_ name: UserName) {
        var group = groups.removeValue(forKey: name.skeleton) ?? Group()
        group.names.append(name)
        if group.honest.count < 2 && !name.isDeceptive {
            let text = name.text.lowercased()
            if !group.honest.contains(text) { group.honest.append(text) }
        }
        groups[name.skeleton] = group
    }

    /// People can tell a twin apart that differs only in case, and escapes would show nothing. If the twin is
    /// deceptive, the twin is escaped.
    private func hasHonestTwin(_ name: UserName) -> Bool {
        let text = name.text.lowercased()
        return groups[name.skeleton]?.honest.contains { $0 != text } ?? false
    }
}

extension UserName {
    /// Whether there is anything to escape.
    fileprivate var hasConfusable: Bool { text.unicodeScalars.contains(where: \.isConfusable) }

    fileprivate func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isEscaped(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
