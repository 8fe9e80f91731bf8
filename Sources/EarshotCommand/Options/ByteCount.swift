import ArgumentParser
import Earshot

/// A size that a person writes: `500kB`, `20MB`, `1.5GB`, `2GiB`, or a number of bytes.
struct ByteCount: ExpressibleByArgument {
    let bytes: UInt64

    private static let units: [(name: String, bytes: Double)] = [
        ("kib", 0x1p10), ("mib", 0x1p20), ("gib", 0x1p30), ("tib", 0x1p40), ("kb", 1e3), ("mb", 1e6), ("gb", 1e9),
        ("tb", 1e12), ("bytes", 1), ("b", 1), ("", 1),
    ]

    init?(argument: String) {
        let text = argument.lowercased()
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }),
            let number = Double(text.dropLast(unit.name.count).trimmingPrefix { $0 == " " }), number >= 0,
            number * unit.bytes <= Double(Limits.fileBytes)
        else { return nil }
        bytes = UInt64(number * unit.bytes)
    }
}
