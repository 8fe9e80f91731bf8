package import EarshotModel

/// Finds out what picture a content is, and how large it would be once it is decoded. It decodes nothing: it goes from part to
/// part and reads the sizes that each declares, so that a small file which would fill the memory is not shown.
package struct PictureReader {
    package typealias Source = (Range<Int>) throws(FilesError) -> [UInt8]

    private let byteCount: Int
    /// Gives fewer bytes only where the content ends.
    private let source: Source
    private var parts = 0
    private var width = 0
    private var height = 0

    private init(byteCount: Int, _ source: @escaping Source) { (self.byteCount, self.source) = (byteCount, source) }

    /// - Throws: `FilesError` `notAPicture`, `pictureTooLarge`, and what the source throws.
    package static func read(byteCount: UInt64, _ source: @escaping Source) throws(FilesError) -> Picture {
        let start = try source(0..<Int(min(byteCount, 16)))
        guard let format = Picture.Format(start: start) else {
            throw FilesError(
                .notAPicture, "the file is no PNG, JPEG, GIF or WebP picture, whatever its name and type say")
        }
        guard byteCount <= Limits.shownPictureBytes else {
            throw FilesError(
                .pictureTooLarge,
                "the picture's file has \(byteCount) bytes, and those that are shown have at most \(Limits.shownPictureBytes)"
            )
        }
        var reader = PictureReader(byteCount: Int(byteCount), source)
        switch format {
        case .png: try reader.readPNG()
        case .jpeg: try reader.readJPEG()
        case .gif: try reader.readGIF()
        case .webp: try reader.readWebP()
        }
        guard reader.width > 0, reader.height > 0 else { throw reader.broken(format) }
        return Picture(format, width: reader.width, height: reader.height, byteCount: byteCount)
    }

    private func broken(_ format: Picture.Format) -> FilesError {
        FilesError(.notAPicture, "the file begins like a picture (\(format.rawValue)), and does not go on like one")
    }

    private mutating func bytes(_ count: Int, at offset: Int, of format: Picture.Format) throws(FilesError) -> [UInt8] {
        parts += 1
        guard parts <= Limits.pictureParts else {
            throw FilesError(.pictureTooLarge, "the picture's file has more than \(Limits.pictureParts) parts")
        }
        guard offset >= 0, offset <= byteCount - count else { throw broken(format) }
        let bytes = try source(offset..<offset + count)
        guard bytes.count == count else { throw broken(format) }
        return bytes
    }

    /// Notes the size that a part declares.
    private mutating func note(width: Int, height: Int) throws(FilesError) {
        guard width.multipliedReportingOverflow(by: height).partialValue <= Limits.shownPicturePixels,
            !width.multipliedReportingOverflow(by: height).overflow
        else {
            throw FilesError(
                .pictureTooLarge,
                "the picture would be \(width) × \(height) pixels, and those that are shown have at most \(Limits.shownPicturePixels)"
            )
        }
        (self.width, self.height) = (max(self.width, width), max(self.height, height))
        if self.width * self.height > Limits.shownPicturePixels { try note(width: self.width, height: self.height) }
    }

    // MARK: - The formats

    /// PNG (Third Edition), section 11.2.1: the first chunk has the size of all that follows.
    private mutating func readPNG() throws(FilesError) {
        let header = try bytes(16, at: 8, of: .png)
        guard header[4..<8].elementsEqual("IHDR".utf8) else { throw broken(.png) }
        try note(width: header.bigEndian(8, 4), height: header.bigEndian(12, 4))
    }

    /// ITU-T T.81, annex B: the size is in the start of a frame, behind segments of any kind.
    private mutating func readJPEG() throws(FilesError) {
        var offset = 2
        while true {
            let marker = try bytes(2, at: offset, of: .jpeg)
            guard marker[0] == 0xFF else { throw broken(.jpeg) }
            switch marker[1] {
            case 0xFF: offset += 1  // Fill bytes may stand before a marker.
            case 0x01, 0xD0...0xD8: offset += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let frame = try bytes(5, at: offset + 4, of: .jpeg)
                return try note(width: frame.bigEndian(3, 2), height: frame.bigEndian(1, 2))
            case 0xD9, 0xDA: throw broken(.jpeg)
            default:
                let length = try bytes(2, at: offset + 2, of: .jpeg).bigEndian(0, 2)
                guard length >= 2 else { throw broken(.jpeg) }
                offset += 2 + length
            }
        }
    }

    /// GIF 89a, sections 18 to 27: each of its images says where it lies, and may lie outside of the screen.
    private mutating func readGIF() throws(FilesError) {
        let screen = try bytes(7, at: 6, of: .gif)
        try note(width: screen.littleEndian(0, 2), height: screen.littleEndian(2, 2))
        var offset = 13 + Self.colourTable(screen[4])
        while true {
            // What ends early is shown as far as it goes.
            guard offset < byteCount else { return }
            switch try bytes(1, at: offset, of: .gif)[0] {
            case 0x2C:
                let image = try bytes(9, at: offset + 1, of: .gif)
                try note(
                    width: image.littleEndian(0, 2) + image.littleEndian(4, 2),
                    height: image.littleEndian(2, 2) + image.littleEndian(6, 2))
                offset = try afterBlocks(offset + 11 + Self.colourTable(image[8]))
            case 0x21: offset = try afterBlocks(offset + 2)
            case 0x3B: return
            default: throw broken(.gif)
            }
        }
    }

    private static func colourTable(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    private mutating func afterBlocks(_ start: Int) throws(FilesError) -> Int {
        var offset = start
        while offset < byteCount {
            let length = Int(try bytes(1, at: offset, of: .gif)[0])
            offset += 1 + length
            if length == 0 { return offset }
        }
        return offset
    }

    /// The WebP container (RFC 9649, section 2): the canvas, and each frame on it.
    private mutating func readWebP() throws(FilesError) {
        var offset = 12
        while true {
            guard offset + 8 <= byteCount else { return }
            let head = try bytes(8, at: offset, of: .webp)
            let length = head.littleEndian(4, 4)
            switch String(decoding: head[..<4], as: UTF8.self) {
            case "VP8X":
                let canvas = try bytes(6, at: offset + 12, of: .webp)
                try note(width: canvas.littleEndian(0, 3) + 1, height: canvas.littleEndian(3, 3) + 1)
            case "ANMF":
                let frame = try bytes(12, at: offset + 8, of: .webp)
                try note(
                    width: frame.littleEndian(0, 3) * 2 + frame.littleEndian(6, 3) + 1,
                    height: frame.littleEndian(3, 3) * 2 + frame.littleEndian(9, 3) + 1)
                // The frame's own chunks follow.
                offset += 8 + 16
                continue
            case "VP8 ":
                let frame = try bytes(10, at: offset + 8, of: .webp)
                try note(width: frame.littleEndian(6, 2) & 0x3FFF, height: frame.littleEndian(8, 2) & 0x3FFF)
            case "VP8L":
                let bits = try bytes(5, at: offset + 8, of: .webp).littleEndian(1, 4)
                try note(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
            default: break
            }
            offset += 8 + length + length % 2
        }
    }
}

extension Picture.Format {
    /// - Parameter start: the first 16 bytes of a content.
    fileprivate init?(start: [UInt8]) {
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}

extension [UInt8] {
    fileprivate func bigEndian(_ offset: Int, _ count: Int) -> Int {
        self[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    fileprivate func littleEndian(_ offset: Int, _ count: Int) -> Int {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension HeldFile {
    /// What picture it is.
    /// - Throws: `FilesError` `notAPicture`, `pictureTooLarge`, `damaged`, `unavailable`.
    package func picture() throws(FilesError) -> Picture {
        try PictureReader.read(byteCount: shape.byteCount) { range throws(FilesError) in try bytes(at: range) }
    }
}
