/// The address of a page on the web that a message may name: `http` or `https`, a host, and printable ASCII.
///
/// The check is strict, so that every program which opens it means the same host: there is no user in it, and the host is
/// written out. Whoever has an address with other letters writes it as browsers do, with `xn--` and `%`.
public struct WebLink: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// The host, with its port if there is one, in lower case: what people are shown before they open the address.
    public let host: String

    /// Why a text is no link.
    public enum Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        case tooLong(bytes: Int)
        case otherScheme
        case forbiddenCharacter
        case wrongHost

        public var description: String {
            switch self {
            case .tooLong(let bytes): "the link is \(bytes) bytes, and the limit is \(Limits.linkBytes)"
            case .otherScheme: "the link does not begin with http:// or https://"
            case .forbiddenCharacter:
                "the link has a character that is not allowed; write spaces and other letters with %, as browsers do"
            case .wrongHost: "the link has no host that is written out, such as example.org or [::1]:8080"
            }
        }
    }

    /// - Parameter text: such as `https://example.org/menu`: at most `Limits.linkBytes`.
    /// - Throws: `EarshotError` `invalidLink` for anything else; its cause (`Invalid`) says what is wrong.
    public init(_ text: String) throws(EarshotError) {
        do throws(Invalid) { host = try Self.host(of: text) } catch {
            throw EarshotError(.invalidLink, error.description, cause: error)
        }
        description = text
    }

    private static func host(of text: String) throws(Invalid) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count <= Limits.linkBytes else { throw .tooLong(bytes: bytes.count) }
        guard let scheme = ["https://", "http://"].first(where: { text.prefix($0.count).lowercased() == $0 }) else {
            throw .otherScheme
        }
        guard bytes.allSatisfy(isAllowed) else { throw .forbiddenCharacter }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !Array("/?#".utf8).contains($0) }
        guard isHost(authority) else { throw .wrongHost }
        return String(decoding: authority, as: UTF8.self).lowercased()
    }

    /// Printable ASCII without what RFC 3986 leaves out. A browser takes `\` for `/`, so it would see another host.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array("\"<>\\^`{|}".utf8).contains(byte)
    }

    /// Whether it is a name or an address, and perhaps a port.
    private static func isHost(_ authority: ArraySlice<UInt8>) -> Bool {
        var name = authority
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") {
            let digits = authority[(colon + 1)...]
            let isPort = digits.allSatisfy { isDigit($0) } && UInt16(String(decoding: digits, as: UTF8.self)) != nil
            guard isPort else { return false }
            name = authority[..<colon]
        }
        if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]"), name.count > 3 {
            return name.dropFirst().dropLast().allSatisfy {
                isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
        }
        let isWord = name.allSatisfy { isLetter($0) || isDigit($0) || Array("-._".utf8).contains($0) }
        return isWord && name.contains { isLetter($0) || isDigit($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
