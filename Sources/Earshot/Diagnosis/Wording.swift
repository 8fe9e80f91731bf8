/// The wording of quantities and lists in findings.
enum Wording {
    /// Like `3 links` and `1 link`.
    static func count(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    /// Whole units, rounded down: `12 MiB`.
    static func bytes(_ count: UInt64) -> String {
        let units: [(name: String, size: UInt64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { count >= $0.size }) else { return Self.count(count, "byte") }
        return "\(count / unit.size) \(unit.name)"
    }

    /// `a, b and 3 more`: the first items of a list that others may make long.
    static func list(_ items: [String], limit: Int = 5) -> String {
        guard items.count > limit else { return items.joined(separator: ", ") }
        return items.prefix(limit).joined(separator: ", ") + " and \(items.count - limit) more"
    }
}
