import EarshotModel
import Testing

@testable import EarshotFiles

@Suite("What picture a file is")
struct PictureReaderTests {
    private func read(_ bytes: [UInt8]) throws(FilesError) -> Picture {
        try PictureReader.read(byteCount: UInt64(bytes.count)) { range throws(FilesError) in
            Array(bytes[range.clamped(to: 0..<bytes.count)])
        }
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

    static func png(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13, 4) + Array("IHDR".utf8) + big(width, 4)
            + big(height, 4)
            + [8, 6, 0, 0, 0]
    }

    /// With a segment before the frame that is longer than what is read at once.
    static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE1] + big(60_002, 2) + [UInt8](repeating: 0xC0, count: 60_000) + [0xFF, 0xFF, 0xC2]
            + big(17, 2)
            + [8] + big(height, 2) + big(width, 2) + [3]
    }

    static func gif(_ width: Int, _ height: Int, image: (width: Int, height: Int) = (1, 1)) -> [UInt8] {
        Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0] + [UInt8](repeating: 0, count: 6)
            + [0x21, 0xF9, 4, 0, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0] + little(image.width, 2) + little(image.height, 2)
            + [0, 2, 2, 0x44, 1, 0, 0x3B]
    }

    static func webp(_ width: Int, _ height: Int) -> [UInt8] {
        Array("RIFF".utf8) + little(0, 4) + Array("WEBPVP8X".utf8) + little(10, 4) + [0, 0, 0, 0] + little(width - 1, 3)
            + little(height - 1, 3)
    }

    static func lossyWebP(_ width: Int, _ height: Int) -> [UInt8] {
        Array("RIFF".utf8) + little(0, 4) + Array("WEBPVP8 ".utf8) + little(10, 4) + [0, 0, 0, 0x9D, 1, 0x2A]
            + little(width, 2) + little(height, 2)
    }

    static func losslessWebP(_ width: Int, _ height: Int) -> [UInt8] {
        Array("RIFF".utf8) + little(0, 4) + Array("WEBPVP8L".utf8) + little(5, 4) + [0x2F]
            + little((width - 1) | (height - 1) << 14, 4)
    }

    @Test("is read from its first bytes, with its size")
    func formats() throws {
        for (bytes, format) in [
            (Self.png(640, 480), Picture.Format.png), (Self.jpeg(640, 480), .jpeg), (Self.gif(640, 480), .gif),
            (Self.webp(640, 480), .webp), (Self.lossyWebP(640, 480), .webp), (Self.losslessWebP(640, 480), .webp),
        ] {
            let picture = try read(bytes)
            #expect(picture.format == format && picture.width == 640 && picture.height == 480)
            #expect(picture.byteCount == UInt64(bytes.count))
        }
    }

    @Test("is too large if it would fill the memory once it is decoded, however small its file is")
    func bombs() {
        for bytes in [
            Self.png(100_000, 100_000), Self.png(0x7FFF_FFFF, 0x7FFF_FFFF), Self.jpeg(65_535, 65_535),
            Self.gif(65_535, 65_535), Self.gif(10, 10, image: (60_000, 60_000)), Self.webp(1 << 24, 1 << 24),
            Self.lossyWebP(16_383, 16_383), Self.losslessWebP(16_384, 16_384),
        ] {
            #expect(throws: FilesError.self) { try read(bytes) }
            do throws(FilesError) { _ = try read(bytes) } catch { #expect(error.code == .pictureTooLarge) }
        }
    }

    @Test("is none of those that are shown, if it begins or goes on like none")
    func others() {
        let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>".utf8)
        for bytes in [
            [], svg, Array("<html>".utf8), Self.png(0, 480), Array(Self.png(640, 480).prefix(20)),
            Array(Self.jpeg(640, 480).prefix(30_000)), [0xFF, 0xD8, 0xFF, 0xD9], Array("GIF89a".utf8),
            Array(Self.webp(640, 480).prefix(12)),
        ] {
            do throws(FilesError) {
                _ = try read(bytes)
                Issue.record("taken for a picture: \(bytes.prefix(16))")
            } catch { #expect(error.code == .notAPicture) }
        }
    }

    @Test("is looked at in so many parts and no more")
    func parts() {
        let endless =
            Self.gif(10, 10).dropLast() + Array(repeating: [0x21, 0xFE, 0], count: Limits.pictureParts).joined()
        do throws(FilesError) {
            _ = try read(Array(endless))
            Issue.record("it was read to its end")
        } catch { #expect(error.code == .pictureTooLarge) }
    }
}
