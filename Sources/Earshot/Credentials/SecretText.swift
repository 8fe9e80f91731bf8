import EarshotCrypto
import Foundation

/// The form in which people copy a secret by hand: a prefix that says what it is, and groups of base32 characters that
/// end with a checksum (`docs/PROTOCOL.md`, section 3.7).
struct SecretText: Sendable {
    /// The beginning of a text. It marks the kind of secret, and has the version of the form.
    let prefix: String
    let secretBytes: Int
    let checksumBytes: Int
    let checksumLabel: StaticString
    /// Characters between two dashes.
    let groupCharacters: Int
    /// What it is called, and the error of a text that is none.
    let name: String
    let code: EarshotError.Code

    static let networkKey = SecretText(
        prefix: "earshot-network-1-", secretBytes: NetworkKey.byteCount, checksumBytes: 5,
        checksumLabel: "earshot network key text v1", groupCharacters: 5, name: "network key", code: .invalidNetworkKey)

    /// The greatest length of a text; a longer one is refused.
    static let maximumBytes = 1024

    /// The characters of secret and checksum in base32.
    var characterCount: Int { ((secretBytes + checksumBytes) * 8 + 4) / 5 }

    /// Reads a text as people copy it. It ignores case, blanks, line breaks and dashes, reads o as 0 and i and l as 1, and
    /// accepts the text with or without the prefix.
    /// - Throws: `EarshotError` of `code`, which says what is wrong and never repeats the text.
    func secret(typed text: String) throws(EarshotError) -> SecretBytes {
        var characters = try characters(of: text)
        let prefix = try self.characters(of: prefix)
        if characters.starts(with: prefix), characters.count != characterCount {
            characters.removeFirst(prefix.count)
        }
        guard characters.count == characterCount else {
            throw invalid(
                "it has \(characters.count) characters after \(self.prefix), and a \(name) has \(characterCount)")
        }
        guard let bytes = Base32.decode(characters) else { throw mistyped }
        let secret = SecretBytes(copying: bytes.prefix(secretBytes))
        guard bytes.dropFirst(secretBytes).elementsEqual(checksum(of: secret)) else { throw mistyped }
        return secret
    }

    /// The text to give to others.
    func text(of secret: SecretBytes) -> String {
        let bytes = secret.withUnsafeBytes { Array($0) } + checksum(of: secret)
        var rest = Base32.encode(bytes)[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(groupCharacters))
            rest = rest.dropFirst(groupCharacters)
        }
        return prefix + groups.joined(separator: "-")
    }

    /// Reads a text from a file descriptor.
    /// - Parameters:
    ///   - descriptor: an open file descriptor; it stays open.
    ///   - isLine: whether to stop at the end of the first line, as on a terminal.
    /// - Throws: `EarshotError` of `code`.
    func secret(readingFrom descriptor: Int32, isLine: Bool) throws(EarshotError) -> SecretBytes {
        var count = 0
        var reason: String?
        let bytes = SecretBytes(count: Self.maximumBytes) { buffer in
            while let start = buffer.baseAddress, count < buffer.count {
                let got = read(descriptor, start + count, 1)
                if got < 0 { reason = String(cString: strerror(errno)) }
                if got <= 0 || (isLine && buffer[count] == UInt8(ascii: "\n")) { return }
                count += 1
            }
            reason = "the text is longer than any \(name)"
        }
        guard reason == nil, count > 0 else {
            throw EarshotError(
                code, "no \(name) could be read: \(reason ?? "there is nothing")", .init(count > 0 ? .tooLong : .empty))
        }
        return try secret(typed: bytes.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) })
    }

    private var mistyped: EarshotError { invalid("one of its characters is wrong") }

    private func invalid(_ reason: String) -> EarshotError {
        EarshotError(code, "this is not a \(name): \(reason)", .init(.mistyped))
    }

    private func checksum(of secret: SecretBytes) -> ArraySlice<UInt8> {
        var hash = Blake2b(label: checksumLabel)
        secret.withUnsafeBytes { hash.update($0) }
        return hash.finalize().bytes.prefix(checksumBytes)
    }

    /// A text as base32, without the separators of its groups.
    private func characters(of text: String) throws(EarshotError) -> String {
        var characters = ""
        for scalar in text.lowercased().unicodeScalars {
            switch scalar {
            case "o": characters += "0"
            case "i", "l": characters += "1"
            case "a"..."z", "0"..."9": characters.unicodeScalars.append(scalar)
            case _ where Self.isSeparator(scalar): continue
            default: throw invalid("it holds a character that no \(name) has")
            }
        }
        return characters
    }

    /// Blanks, line breaks, dashes of every length, and the invisible characters that mail programs put between words.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .format, .connectorPunctuation: true
        default: scalar.properties.isWhitespace
        }
    }
}
