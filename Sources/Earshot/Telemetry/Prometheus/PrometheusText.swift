/// Writes samples in the text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details).
struct PrometheusText {
    private(set) var text = ""

    /// Writes a family, or nothing if it has no series.
    mutating func write(_ family: PrometheusFamily) {
        guard !family.series.isEmpty else { return }
        header(family.name, help: family.help, family.kind)
        for (labels, instrument) in family.series.sorted(by: { $0.key < $1.key }) {
            instrument.write(family.name, labels: labels, to: &self)
        }
    }

    mutating func header(_ name: String, help: String, _ kind: PrometheusKind) {
        if !help.isEmpty { text += "# HELP \(name) \(Self.escape(help, quotes: false))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, labels: String, value: Double) {
        text += labels.isEmpty ? name : "\(name){\(labels)}"
        text += " \(Self.number(value))\n"
    }

    /// The text between the braces: `reason="timeout",by="peer"`.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { "\(name($0, allowing: ["_"]))=\"\(escape($1, quotes: true))\"" }.joined(separator: ",")
    }

    /// A metric's name has letters, digits, `_` and `:`, and does not begin with a digit; a label's name has no `:`.
    static func name(_ text: String, allowing signs: Set<Unicode.Scalar> = ["_", ":"]) -> String {
        var name = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z": name.append(scalar)
            case "0"..."9" where !name.isEmpty: name.append(scalar)
            default: name.append(signs.contains(scalar) ? scalar : "_")
            }
        }
        return name.isEmpty ? "_" : String(name)
    }

    static func number(_ value: Double) -> String {
        switch value {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where value.isNaN: "NaN"
        default: Int64(exactly: value).map { String($0) } ?? "\(value)"
        }
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: #"\\"#.unicodeScalars)
            case "\n": escaped.append(contentsOf: #"\n"#.unicodeScalars)
            case "\"" where quotes: escaped.append(contentsOf: #"\""#.unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
