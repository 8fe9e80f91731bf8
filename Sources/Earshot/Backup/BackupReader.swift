import EarshotCrypto
import Foundation

/// Reads a backup from its beginning to its end.
final class BackupReader {
    private let path: String
    private let descriptor: Int32
    private let stream: SealedStreamReader
    private var chunk: ArraySlice<UInt8> = []
    private var isLast = false

    /// - Throws: `EarshotError` `unusableFile`, `backupDamaged`, `backupNewer`, `wrongPassphrase`.
    init(path: String, passphrase: SecretBytes) throws(EarshotError) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw EarshotError.unusableFile(path, "read") }
        do throws(EarshotError) {
            let beginning = try Self.read(SealedStream.headerBytes, from: descriptor, of: path)
            stream = try Self.stream(beginning, passphrase, of: path)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func stream(
        _ beginning: [UInt8], _ passphrase: SecretBytes, of path: String
    ) throws(EarshotError) -> SealedStreamReader {
        do { return try SealedStreamReader(beginning: beginning, passphrase: passphrase) } catch {
            switch error.code {
            case .newerVersion: throw EarshotError.backupNewer(path)
            case .wrongPassphrase:
                throw EarshotError(
                    .wrongPassphrase, "the passphrase does not open \(path), or its beginning was changed",
                    .init(path: path), cause: error)
            case .outOfMemory:
                throw EarshotError(
                    .unusableFile, "\(path) cannot be opened: \(error.message)", .init(.outOfMemory, path: path),
                    cause: error)
            default:
                throw EarshotError.backupDamaged(
                    path, "it is no backup of this program's, or not whole", cause: error)
            }
        }
    }

    /// The next part; `nil` at the end.
    func nextPart() throws(EarshotError) -> (part: BackupPart, count: UInt64)? {
        guard try fill() else { return nil }
        let length = Int(try bytes(1)[0])
        guard length > 0, let part = BackupPart(rawValue: String(decoding: try bytes(length), as: UTF8.self)) else {
            throw EarshotError.backupDamaged(path, "it holds a part that is not known")
        }
        let count = try bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard count <= part.maximumBytes else { throw EarshotError.backupDamaged(path, "a part of it is too long") }
        return (part, count)
    }

    /// The next bytes of a small part.
    func bytes(_ count: Int) throws(EarshotError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        try take(UInt64(count)) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Writes the next bytes into a new file that is its owner's alone, through to the disk.
    func copy(_ count: UInt64, to file: String) throws(EarshotError) {
        let target = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard target >= 0 else { throw EarshotError.unusableFile(file, "written") }
        defer { close(target) }
        try take(count) { (slice: ArraySlice<UInt8>) throws(EarshotError) in
            var rest = slice
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(target, $0.baseAddress, $0.count) }
                guard count >= 0 || errno == EINTR else { throw EarshotError.unusableFile(file, "written") }
                rest = rest.dropFirst(max(0, count))
            }
        }
        guard fsync(target) == 0 else { throw EarshotError.unusableFile(file, "written") }
    }

    private func take(_ count: UInt64, _ body: (ArraySlice<UInt8>) throws(EarshotError) -> Void) throws(EarshotError) {
        var rest = count
        while rest > 0 {
            guard try fill() else { throw EarshotError.backupDamaged(path, "it ends within a part") }
            let taken = chunk.prefix(Int(min(rest, UInt64(chunk.count))))
            try body(taken)
            rest -= UInt64(taken.count)
            chunk = chunk.dropFirst(taken.count)
        }
    }

    /// Opens chunks until there are bytes to take.
    /// - Returns: `false` at the end, which nothing follows.
    private func fill() throws(EarshotError) -> Bool {
        while chunk.isEmpty {
            let sealed = try Self.read(
                SealedStream.chunkBytes + SealedStream.overheadBytes, from: descriptor, of: path)
            guard !isLast else {
                guard sealed.isEmpty else { throw EarshotError.backupDamaged(path, "something stands behind its end") }
                return false
            }
            guard !sealed.isEmpty else { throw EarshotError.backupDamaged(path, "it ends too early") }
            do { (chunk, isLast) = try opened(sealed) } catch {
                let isShort = sealed.count < SealedStream.chunkBytes + SealedStream.overheadBytes
                throw EarshotError.backupDamaged(
                    path, isShort ? "it ends too early, or its end was changed" : "it was changed", cause: error)
            }
        }
        return true
    }

    private func opened(_ sealed: [UInt8]) throws(CryptoError) -> (ArraySlice<UInt8>, Bool) {
        let (chunk, isLast) = try stream.open(sealed)
        return (chunk[...], isLast)
    }

    /// Up to so many bytes, fewer at the end.
    private static func read(_ count: Int, from descriptor: Int32, of path: String) throws(EarshotError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + filled, count - filled) }
            guard got >= 0 || errno == EINTR else { throw EarshotError.unusableFile(path, "read") }
            if got == 0 { break }
            filled += max(0, got)
        }
        return Array(bytes[..<filled])
    }
}
