/// The TXT record of a DNS-SD service: key/value pairs (RFC 6763 section 6).
///
/// Keys are printable ASCII without `=`, and case does not matter. If a key is repeated, the first one counts. Unknown
/// keys are kept, and do no harm.
package struct TXTRecord: Sendable, Hashable {
    /// The largest record that is read or written: with more, a packet no longer fits an Ethernet frame
    /// (RFC 6763 section 6.2).
    package static let maximumBytes = 1300
    /// The largest single `key=value` string (RFC 6763 section 6.1).
    package static let maximumStringBytes = 255

    /// One attribute, as it stands in the record.
    package struct Attribute: Sendable, Hashable {
        package let key: String
        /// `nil` for a key without `=`, which is not the same as an empty value (RFC 6763 section 6.4).
        package let value: [UInt8]?
    }

    /// In the order of the record, each key once.
    package private(set) var attributes: [Attribute] = []

    package init() {}

    /// Reads the rdata of a TXT record.
    ///
    /// Empty strings and those without a key are ignored, as RFC 6763 asks.
    /// - Throws: `malformedTXT` where the lengths do not add up, a key is not printable ASCII, or the whole is
    ///   longer than `maximumBytes`.
    package init(parsing bytes: some Collection<UInt8>) throws(DiscoveryError) {
        guard bytes.count <= Self.maximumBytes else {
            throw DiscoveryError(.malformedTXT, "a TXT record of \(bytes.count) bytes is over \(Self.maximumBytes)")
        }
        var rest = Array(bytes)[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) else {
                throw DiscoveryError(.malformedTXT, "a string of \(length) bytes ends after \(rest.count)")
            }
            try read(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
        }
    }

    /// The value of a key as text, if the key is there with a value that is UTF-8.
    package func text(_ key: String) -> String? {
        attributes.first { Self.isSame($0.key, key) }?.value.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Adds a key or replaces its value.
    /// - Throws: `valueTooLong` if the string does not fit into `maximumStringBytes` or the record into
    ///   `maximumBytes`, `malformedTXT` for a key that RFC 6763 does not allow.
    package mutating func set(_ key: String, to value: String) throws(DiscoveryError) {
        guard Self.isKey(Array(key.utf8)) else {
            throw DiscoveryError(.malformedTXT, "'\(key)' is not a key of a TXT record")
        }
        let length = key.utf8.count + 1 + value.utf8.count
        guard length <= Self.maximumStringBytes else {
            throw DiscoveryError(.valueTooLong, "the value of '\(key)' is too long by \(length - 255) bytes")
        }
        var changed = attributes.filter { !Self.isSame($0.key, key) }
        changed.append(Attribute(key: key, value: Array(value.utf8)))
        guard Self.encode(changed).count <= Self.maximumBytes else {
            throw DiscoveryError(.valueTooLong, "with '\(key)' the TXT record is over \(Self.maximumBytes) bytes")
        }
        attributes = changed
    }

    /// The rdata of the record. Without attributes it is a single empty string (RFC 6763 section 6.1).
    package var encoded: [UInt8] { attributes.isEmpty ? [0] : Self.encode(attributes) }

    private static func encode(_ attributes: [Attribute]) -> [UInt8] {
        attributes.flatMap { attribute -> [UInt8] in
            let string = Array(attribute.key.utf8) + (attribute.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
            return [UInt8(string.count)] + string
        }
    }

    private mutating func read(_ string: ArraySlice<UInt8>) throws(DiscoveryError) {
        let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty else { return }
        guard Self.isKey(Array(first)) else {
            throw DiscoveryError(.malformedTXT, "a key is not printable ASCII")
        }
        let key = String(decoding: first, as: UTF8.self)
        guard !attributes.contains(where: { Self.isSame($0.key, key) }) else { return }
        attributes.append(Attribute(key: key, value: parts.count > 1 ? Array(parts[1]) : nil))
    }

    private static func isKey(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isSame(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }
}
