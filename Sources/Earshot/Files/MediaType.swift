/// What files are, by their names. A guess, for people and browsers: nothing is decided by it alone.
enum MediaType {
    /// - Returns: the type of a file of that name (RFC 6838), or that of unknown files.
    static func guess(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return Attachment.unknownType }
        return byExtension[name[name.index(after: dot)...].lowercased()] ?? Attachment.unknownType
    }

    private static let byExtension: [String: String] = [
        "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff",
        "webp": "image/webp",
        "flac": "audio/flac", "m4a": "audio/mp4", "mp3": "audio/mpeg", "ogg": "audio/ogg", "opus": "audio/ogg",
        "wav": "audio/wav",
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp4": "video/mp4", "webm": "video/webm",
        "csv": "text/csv", "htm": "text/html", "html": "text/html", "log": "text/plain", "md": "text/markdown",
        "txt": "text/plain",
        "7z": "application/x-7z-compressed", "gz": "application/gzip", "json": "application/json",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "pdf": "application/pdf", "tar": "application/x-tar", "xml": "application/xml", "xz": "application/x-xz",
        "zip": "application/zip", "zst": "application/zstd",
    ]
}
