/// What picture a file is, by its own first bytes.
public struct Picture: Hashable, Sendable {
    /// The formats that are shown. None of them has anything that runs.
    public enum Format: String, CaseIterable, Sendable {
        case png, jpeg, gif, webp

        /// As RFC 6838 has it.
        public var mediaType: String { "image/\(rawValue)" }
    }

    public let format: Format
    /// In pixels: of the largest part, where it has several.
    public let width: Int
    public let height: Int
    /// The size of its file.
    public let byteCount: UInt64

    package init(_ format: Format, width: Int, height: Int, byteCount: UInt64) {
        (self.format, self.width, self.height, self.byteCount) = (format, width, height, byteCount)
    }
}
