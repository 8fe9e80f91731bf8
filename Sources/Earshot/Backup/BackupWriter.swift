import EarshotCrypto
import Foundation

/// Writes a backup beside its final place, and moves it there when it is whole and on the disk.
final class BackupWriter {
    private let path: String
    private let temporary: String
    private let work: WorkFiles
    private let descriptor: Int32
    private let stream: SealedStreamWriter
    /// Bytes that do not yet fill a chunk.
    private var chunk: [UInt8] = []
    private var isFinished = false

    /// - Throws: `EarshotError` `fileExists` or `unusableFile`.
    init(path: String, passphrase: Passphrase, work: WorkFiles) throws(EarshotError) {
        self.path = path
        self.work = work
        temporary = path + ".part"
        try Self.requireFree(path)
        do { stream = try SealedStreamWriter(passphrase: passphrase.secret, cost: passphrase.cost) } catch {
            throw EarshotError(
                .unusableFile, "the backup cannot be sealed: \(error.message)", .init(.outOfMemory, path: path),
                cause: error)
        }
        descriptor = try Self.makeFile(temporary, for: path, work)
        // Another export may have ended since the first check.
        try Self.requireFree(path)
        chunk.reserveCapacity(SealedStream.chunkBytes)
        try write(stream.beginning)
    }

    deinit {
        chunk.wipe()
        if isFinished { work.release(temporary) } else { work.discard(temporary) }
    }

    private static func requireFree(_ path: String) throws(EarshotError) {
        guard access(path, F_OK) == 0 else { return }
        throw EarshotError(
            .fileExists, "there is a file \(path) already", .init(path: path))
    }

    /// Makes the file to write to. It replaces what an earlier try left behind, for example when the power failed, but
    /// not a file that another export is writing.
    private static func makeFile(
        _ temporary: String, for path: String, _ work: WorkFiles
    ) throws(EarshotError) -> Int32 {
        guard WorkFiles.removeAbandonedFile(temporary) else {
            throw EarshotError(
                .unusableFile, "\(temporary) is in the way, and cannot be told to be an interrupted export's",
                .init(.inTheWay, path: temporary))
        }
        do { return try work.makeFile(temporary) } catch {
            guard error.code == .fileExists else { throw error }
            throw EarshotError(
                .fileExists, "another export to \(path) is under way",
                .init(.underWay, path: path), cause: error)
        }
    }

    func append(_ part: BackupPart, _ bytes: [UInt8]) throws(EarshotError) {
        try append(part.heading(count: UInt64(bytes.count)))
        try append(bytes)
    }

    func append(_ part: BackupPart, _ secret: SecretBytes) throws(EarshotError) {
        try append(part.heading(count: UInt64(secret.count)))
        var failure: EarshotError?
        secret.withUnsafeBytes { bytes in
            do throws(EarshotError) { try append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Appends the current content of a file.
    func append(_ part: BackupPart, file: String) throws(EarshotError) {
        let source = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { throw EarshotError.unusableFile(file, "read") }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0 else { throw EarshotError.unusableFile(file, "read") }
        try append(part.heading(count: UInt64(status.st_size)))
        var rest = Int(status.st_size)
        var buffer = [UInt8](repeating: 0, count: SealedStream.chunkBytes)
        while rest > 0 {
            let count = read(source, &buffer, min(rest, buffer.count))
            guard count > 0 else { throw EarshotError.unusableFile(file, "read") }
            try append(Array(buffer[..<count]))
            rest -= count
        }
    }

    /// Seals the end, and puts the file in its place.
    func finish() throws(EarshotError) {
        try write(stream.seal(chunk, isLast: true))
        guard fsync(descriptor) == 0 else { throw EarshotError.unusableFile(path, "written") }
        guard work.isInPlace(temporary) else {
            throw EarshotError(
                .unusableFile, "\(temporary) was removed while it was written",
                .init(.removedMeanwhile, path: temporary))
        }
        guard rename(temporary, path) == 0 else { throw EarshotError.unusableFile(path, "written") }
        isFinished = true
        PrivateFile.synchronizeDirectory(of: path)
    }

    private func append(_ bytes: [UInt8]) throws(EarshotError) {
        var failure: EarshotError?
        bytes.withUnsafeBytes { bytes in
            do throws(EarshotError) { try append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// A full chunk is sealed only when more bytes follow, because the last chunk is marked as the last.
    private func append(_ bytes: UnsafeRawBufferPointer) throws(EarshotError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if chunk.count == SealedStream.chunkBytes {
                try write(stream.seal(chunk, isLast: false))
                chunk.wipe()
                chunk.removeAll(keepingCapacity: true)
            }
            let count = min(rest.count, SealedStream.chunkBytes - chunk.count)
            chunk.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    private func write(_ bytes: [UInt8]) throws(EarshotError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw EarshotError.unusableFile(path, "written") }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

extension [UInt8] {
    /// Overwrites bytes that hold keys, except for copies of them.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            explicit_bzero(start, bytes.count)
        }
    }
}
