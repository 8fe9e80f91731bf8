@_spi(_Unicode) import Swift

/// The skeleton of a text (UTS 39, section 4), with letter case folded.
///
/// Followed: normalization form D, no default-ignorable scalars, each scalar replaced by its prototype. Accents stay.
/// - Beyond UTS 39: capital and small letters are one, and with them everything that looks like either: `I`, `i`, `l`,
///   `1` and `|` are all `l`; `w` is `vv` as `m` is `rn`; spaces of any width and number are one space, dashes are `-`;
///   and decorated letters are their letters.
/// - Not followed: the order in which text of two directions is shown (`bidiSkeleton`), and what `ConfusableTable` leaves
///   out.
enum Skeleton {
    static func of(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text._nfd where !scalar.isInvisible { append(scalar, to: &result) }
        return String(result)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
        if scalar.isASCII {
            append(ascii: scalar, to: &result)
        } else if let prototype = scalar.prototype {
            for part in prototype where part != " " || result.last != " " { result.append(part) }
        } else {
            result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
    }

    static func append(ascii scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
        switch scalar {
        case "0", "O": result.append("o")
        case "1", "I", "i", "L", "|": result.append("l")
        case "M", "m": result.append(contentsOf: "rn".unicodeScalars)
        case "W", "w": result.append(contentsOf: "vv".unicodeScalars)
        case "`": result.append("'")
        case "\"": result.append(contentsOf: "''".unicodeScalars)
        case " ": if result.last != " " { result.append(" ") }
        case "A"..."Z": result.append(Unicode.Scalar(UInt8(scalar.value) | 0x20))
        default: result.append(scalar)
        }
    }
}
