import CLinuxFiles
import Glibc

/// An open file, which is closed with the last reference to it. Reading and writing at a place moves nothing, so several threads
/// may do it at once.
final class OpenFile: Sendable {
    let path: String
    private let descriptor: Int32

    enum Mode {
        case reading
        /// Makes it if it is not there.
        case writing
        /// Makes it, and fails where it is there.
        case creating
        /// Whole blocks go from the disk, or to it, past the page cache. Some file systems cannot.
        case readingDirectly, writingDirectly
    }

    /// - Throws: `FilesError` `missing`, `full`, `unavailable`.
    init(_ path: String, _ mode: Mode) throws(FilesError) {
        let flags: Int32 =
            switch mode {
            // Without waiting: a pipe that nobody writes to would hold the node up.
            case .reading: O_RDONLY | O_NONBLOCK
            case .writing: O_RDWR | O_CREAT | O_NOFOLLOW
            case .creating: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            case .readingDirectly: O_RDONLY | O_NOFOLLOW | clinuxfiles_direct
            case .writingDirectly: O_WRONLY | O_NOFOLLOW | clinuxfiles_direct
            }
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("opened", path) }
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit { close(descriptor) }

    /// What tells that a file is no longer what it was.
    struct Stamp: Hashable {
        let byteCount: UInt64
        let inode: UInt64
        let modified: [Int]
        let isRegular: Bool
    }

    func stamp() throws(FilesError) -> Stamp {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        return Stamp(
            byteCount: UInt64(status.st_size), inode: UInt64(status.st_ino),
            modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec],
            isRegular: status.st_mode & S_IFMT == S_IFREG)
    }

    /// Reads until the buffer is full, or the file ends.
    /// - Returns: how many bytes were read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FilesError) -> Int {
        var count = 0
        while count < buffer.count {
            let got = pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, offset + count)
            if got == 0 { break }
            if got < 0 {
                guard errno == EINTR else { throw Self.failure("read", path) }
                continue
            }
            count += got
        }
        return count
    }

    /// Whether the file has so many bytes and no more. The sizes that the kernel says of what it makes up are none.
    func ends(at byteCount: UInt64) throws(FilesError) -> Bool {
        guard let end = Int(exactly: byteCount) else { return true }
        return try bytes(at: max(0, end - 1)..<end + 1).count == min(1, end)
    }

    /// - Returns: fewer bytes only where the file ends.
    func bytes(at range: Range<Int>) throws(FilesError) -> [UInt8] {
        var failure: FilesError?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            do throws(FilesError) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FilesError) {
        var count = 0
        while count < bytes.count {
            let put = pwrite(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, offset + count)
            if put < 0 {
                guard errno == EINTR else { throw Self.failure("written", path) }
                continue
            }
            count += put
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(FilesError) {
        var failure: FilesError?
        bytes.withUnsafeBytes { bytes in
            do throws(FilesError) { try write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// What a disk takes and gives directly begins in memory and in the file at a multiple of this, and is as long as one.
    static let blockBytes = 4096

    /// Whether it can go past the page cache.
    static func isWhole(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        (Int(bitPattern: bytes.baseAddress) | offset | bytes.count).isMultiple(of: blockBytes)
    }

    /// What was written is on the disk when this returns.
    func synchronize() throws(FilesError) {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("written", path) }
    }

    /// What was written there goes on its way to the disk now. Else it would gather, and whoever then waits for the disk,
    /// such as a message, would wait for all of it.
    func beginSynchronizing(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // Linux writes what it is told to forget. What is not written yet it keeps, so this loses nothing, and can fail only as
        // a hint does.
        posix_fadvise(descriptor, range.lowerBound, range.count, POSIX_FADV_DONTNEED)
    }

    /// Takes the room for a content at once, so that the disk is not found full in the middle of it.
    func reserve(_ byteCount: UInt64) throws(FilesError) {
        guard byteCount > 0 else { return }
        let error = posix_fallocate(descriptor, 0, off_t(byteCount))
        // Some file systems cannot; then it shows later.
        guard error == 0 || error == EOPNOTSUPP || error == EINVAL else {
            errno = error
            throw Self.failure("written", path)
        }
    }

    /// Has another file's content from now on, and shares its room on the disk.
    /// - Returns: whether the file system can do that.
    func share(_ source: OpenFile) -> Bool { ioctl(descriptor, clinuxfiles_clone, source.descriptor) == 0 }

    static func failure(_ verb: String, _ path: String) -> FilesError {
        let number = errno
        let code: FilesError.Code =
            switch number {
            case ENOSPC, EDQUOT: .full
            case ENOENT, ENOTDIR: .missing
            default: .unavailable
            }
        return FilesError(
            code, "\(path) cannot be \(verb): \(String(cString: strerror(number)))", systemError: number)
    }
}
