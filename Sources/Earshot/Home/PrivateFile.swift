import EarshotCrypto
import Foundation

/// Reads and writes the files that only their owner may see.
enum PrivateFile {
    /// Key files are far smaller.
    static let maximumBytes = 4096

    /// Reads a file into wiped memory, after checking that it is its owner's alone.
    /// - Throws: `EarshotError` `looseHome` or `unusableHome`.
    static func read(_ path: String) throws(EarshotError) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        try Home.checkPrivate(path, status, mode: "600")
        guard status.st_size > 0, status.st_size <= maximumBytes else {
            throw EarshotError(
                .unusableHome, "\(path) is \(status.st_size) bytes long and cannot be what it should",
                .init(.malformed, path: path))
        }
        let count = Int(status.st_size)
        var failed = false
        let bytes = SecretBytes(count: count) { buffer in
            failed = Glibc.read(descriptor, buffer.baseAddress, count) != count
        }
        guard !failed else { throw failure("read", path) }
        return bytes
    }

    /// Lends a file of the user's own choice that holds a secret, after checking that it is its owner's alone. Whoever may
    /// read a pipe or a terminal is another matter.
    /// - Parameter code: of the error for a file that cannot be opened.
    /// - Throws: `EarshotError` with this code, `looseHome`, and what the closure throws.
    static func with<Secret>(
        _ path: String, orThrow code: EarshotError.Code, _ read: (_ descriptor: Int32) throws(EarshotError) -> Secret
    ) throws(EarshotError) -> Secret {
        try checkPath(path, of: "file with the secret", orThrow: code)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw EarshotError(
                code, "\(path) cannot be opened: \(String(cString: strerror(errno)))",
                .init(.unreadable, path: path, systemError: errno))
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            try Home.checkPrivate(path, status, mode: "600")
        }
        return try read(descriptor)
    }

    /// Whether something of that name exists, which `read` may still refuse.
    /// - Throws: `EarshotError` `unusableHome` if that cannot be known.
    static func isThere(_ path: String) throws(EarshotError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure("read", path) }
            return false
        }
        return true
    }

    /// Writes a new file with mode 0600, through to the disk, in one step: the file is there whole or not at all.
    /// - Throws: `EarshotError` `unusableHome`.
    static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(EarshotError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("written", path) }
        let isWritten =
            Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let error = failure("written", path)
            unlink(temporary)
            throw error
        }
        synchronizeDirectory(of: path)
    }

    /// Removes a file, through to the disk.
    /// - Returns: whether there was one.
    /// - Throws: `EarshotError` `unusableHome`.
    static func remove(_ path: String) throws(EarshotError) -> Bool {
        guard unlink(path) == 0 else {
            guard errno == ENOENT else { throw failure("removed", path) }
            return false
        }
        synchronizeDirectory(of: path)
        return true
    }

    /// The directory of a file. Foundation's `deletingLastPathComponent` traps for a name of one letter.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory and those above it that are missing.
    /// - Returns: the system's number for the error, or `nil` if the directory is there.
    static func makeDirectories(_ path: String, mode: mode_t = 0o700) -> Int32? {
        if mkdir(path, mode) == 0 { return nil }
        switch errno {
        case EEXIST: return nil
        case ENOENT where !path.isEmpty && directory(of: path) != path:
            if let error = makeDirectories(directory(of: path), mode: mode) { return error }
            return mkdir(path, mode) == 0 || errno == EEXIST ? nil : errno
        default: return errno
        }
    }

    /// The system's words for one of its errors.
    static func words(for number: Int32) -> String { String(cString: strerror(number)) }

    /// - Parameters:
    ///   - what: what the path names: `"backup"`.
    ///   - code: of the error.
    /// - Throws: `EarshotError` with this code for an empty path, which the system would call a file that is missing.
    static func checkPath(_ path: String, of what: String, orThrow code: EarshotError.Code) throws(EarshotError) {
        guard path.isEmpty else { return }
        throw EarshotError(
            code, "the path of the \(what) is empty: name a file or a directory", .init(.empty, path: path))
    }

    /// A rename or a removal is on the disk only once its directory is.
    static func synchronizeDirectory(of path: String) {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ verb: String, _ path: String) -> EarshotError {
        let number = errno
        return EarshotError(
            .unusableHome, "\(path) cannot be \(verb): \(String(cString: strerror(number)))",
            .init(number == ENOSPC ? .diskFull : nil, path: path, systemError: number))
    }
}
