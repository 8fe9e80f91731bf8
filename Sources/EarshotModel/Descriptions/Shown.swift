/// A value whose text, in `print` and in string interpolation, says what it is in the words of the public API:
/// `Participant(userID: 3fk9…, role: owner, status: joined)`.
///
/// Parts that are missing or empty are left out, and long texts are shortened. What is secret stands in no text: a type that
/// has a secret says with a mirror of its own (`CustomReflectable`) what is shown.
package protocol Shown: CustomStringConvertible {}

extension Shown {
    public var description: String { ShownText.of(self) }
}

/// Writes values as `Shown` says.
package enum ShownText {
    /// How many scalars of a text are shown, and how many elements of a collection.
    private static let (longest, most) = (60, 20)

    /// The name of a type and what its values consist of, or the name of a case that has one.
    package static func of(_ value: Any) -> String {
        if let named = value as? any RawRepresentable, let name = named.rawValue as? String { return name }
        let mirror = Mirror(reflecting: value)
        return of("\(type(of: value))", mirror.children.map { ($0.label ?? "", $0.value) })
    }

    /// A case of an enumeration and its payload.
    /// - Parameter name: the case's name.
    package static func ofCase(_ name: String, _ value: Any) -> String {
        guard let payload = Mirror(reflecting: value).children.first?.value else { return name }
        let mirror = Mirror(reflecting: payload)
        let parts = mirror.displayStyle == .tuple ? mirror.children.map { ($0.label ?? "", $0.value) } : [("", payload)]
        let text = list(parts)
        return text.isEmpty ? name : "\(name)(\(text))"
    }

    /// - Parameter parts: their names, which are not shown if they are empty or the numbers of a tuple, and their values.
    package static func of(_ name: String, _ parts: [(String, Any)]) -> String { "\(name)(\(list(parts)))" }

    private static func list(_ parts: [(String, Any)]) -> String {
        parts.compactMap { name, value -> String? in
            guard let text = part(value) else { return nil }
            return name.isEmpty || name.hasPrefix(".") ? text : "\(name): \(text)"
        }.joined(separator: ", ")
    }

    /// - Returns: `nil` for what is missing or empty.
    private static func part(_ value: Any) -> String? {
        if let text = value as? String { return text.isEmpty ? nil : quoted(text) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.flatMap { part($0.value) }
        case .collection where mirror.children.isEmpty, .set where mirror.children.isEmpty,
            .dictionary where mirror.children.isEmpty:
            return nil
        case .collection where value is [UInt8]: return "\(mirror.children.count) bytes"
        case .collection: return elements(mirror.children.prefix(most).map { element($0.value) }, mirror.children.count)
        // They have no order.
        case .set: return elements(mirror.children.map { element($0.value) }.sorted(), mirror.children.count)
        case .dictionary:
            let pairs = mirror.children.map { pair in
                Mirror(reflecting: pair.value).children.map { element($0.value) }.joined(separator: ": ")
            }
            return elements(pairs.sorted(), pairs.count)
        case .tuple: return "(\(list(mirror.children.map { ($0.label ?? "", $0.value) })))"
        default: return "\(value)"
        }
    }

    private static func element(_ value: Any) -> String { part(value) ?? (value is String ? "\"\"" : "nil") }

    private static func elements(_ texts: [String], _ count: Int) -> String {
        let shown = texts.prefix(most)
        let rest = count > shown.count ? ["\(count - shown.count) more"] : []
        return "[\((shown + rest).joined(separator: ", "))]"
    }

    /// A text on one line.
    static func quoted(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(longest + 1)
        guard start.count > longest else { return text.debugDescription }
        return String(String.UnicodeScalarView(start.dropLast())).debugDescription.dropLast() + "…\""
    }
}
