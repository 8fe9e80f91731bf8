import Earshot
import Foundation

/// The file to which a node writes that runs in the background.
enum DetachedLog {
    /// A longer file begins anew.
    private static let maximumBytes = 4 << 20
    private static let interval = Duration.seconds(60)

    static func path(of home: Home) -> String { "\(home.path)/up.log" }

    /// Leaves the terminal: this process gets a session of its own, and adds to the file from now on. What is there
    /// stays: a node that runs may have written it, and then this one will not.
    /// - Throws: `Failure` `unusableFile`.
    static func begin(_ home: Home) throws(Failure) {
        let path = path(of: home)
        let log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [log, nothing] where descriptor >= 0 { close(descriptor) } }
        guard log >= 0, nothing >= 0 else {
            throw Failure(.unusableFile, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        // Fails only for a process that has a session of its own already.
        _ = setsid()
        dup2(nothing, STDIN_FILENO)
        dup2(log, STDOUT_FILENO)
        dup2(log, STDERR_FILENO)
    }

    /// Keeps the file short, until the task is cancelled.
    static func keepShort() async throws {
        while true {
            try await Task.sleep(for: interval)
            var status = stat()
            if fstat(STDOUT_FILENO, &status) == 0, status.st_size > maximumBytes { ftruncate(STDOUT_FILENO, 0) }
        }
    }
}
