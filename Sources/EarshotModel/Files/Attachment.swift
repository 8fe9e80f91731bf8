/// A file that a message brings along.
public struct Attachment: Hashable, Sendable {
    /// What it contains.
    public let fileID: FileID
    /// What its author calls it: 1 to `Limits.fileNameBytes` bytes of UTF-8, and nothing that leads to another folder.
    public let name: String
    /// What it is, as its author says (RFC 6838), such as `image/png`: at most `Limits.mediaTypeBytes`. Nobody has checked that.
    public let mediaType: String
    /// The size of its content: at most `Limits.fileBytes`.
    public let byteCount: UInt64

    /// - Throws: `EarshotError` `invalidAttachment` for what no message may bring along; its cause (`Invalid`) says why.
    public init(
        fileID: FileID, name: String, mediaType: String = Self.unknownType, byteCount: UInt64
    ) throws(EarshotError) {
        do throws(Invalid) { try Self.check(name, mediaType, byteCount) } catch {
            throw EarshotError(.invalidAttachment, error.description, cause: error)
        }
        (self.fileID, self.name, self.mediaType, self.byteCount) = (fileID, name, mediaType, byteCount)
    }

    /// The type of a file of which nothing is known.
    public static let unknownType = "application/octet-stream"

    /// Why a message cannot bring something along.
    public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        case emptyName
        case nameTooLong(bytes: Int)
        /// The name has a slash or a control character, or is `.` or `..`.
        case unsafeName
        case invalidType
        case fileTooLarge(bytes: UInt64)
        case tooMany(count: Int)

        public var description: String {
            switch self {
            case .emptyName: "a file has no name"
            case .nameTooLong(let bytes):
                "the name of a file is \(bytes) bytes of UTF-8, and the limit is \(Limits.fileNameBytes)"
            case .unsafeName: "the name of a file has a slash or a control character, or is . or .."
            case .invalidType: "the type of a file is none, such as image/png is one"
            case .fileTooLarge(let bytes): "a file has \(bytes) bytes, and the limit is \(Limits.fileBytes)"
            case .tooMany(let count): "it brings \(count) files along, and the limit is \(Limits.attachments)"
            }
        }
    }

    /// What it counts where messages wait for their commit, in bytes.
    var byteSize: Int { Bytes32.count + name.utf8.count + mediaType.utf8.count }

    private static func check(_ name: String, _ mediaType: String, _ byteCount: UInt64) throws(Invalid) {
        try check(name: name)
        try check(mediaType: mediaType)
        guard byteCount <= Limits.fileBytes else { throw .fileTooLarge(bytes: byteCount) }
    }

    static func check(name: String) throws(Invalid) {
        let bytes = name.utf8.count
        guard bytes > 0 else { throw .emptyName }
        guard bytes <= Limits.fileNameBytes else { throw .nameTooLong(bytes: bytes) }
        let isSafe = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: scalar != "/"
            }
        }
        guard isSafe, name != ".", name != ".." else { throw .unsafeName }
    }

    /// A type and a subtype, of the characters that RFC 6838 (section 4.2) has for them.
    static func check(mediaType: String) throws(Invalid) {
        let parts = mediaType.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isValid =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.first.map(Self.isAlphanumeric) == true && part.allSatisfy(Self.isOfType)
            }
        guard isValid, mediaType.utf8.count <= Limits.mediaTypeBytes else { throw .invalidType }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isOfType(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$&-^_.+".utf8.contains(byte) }
}
