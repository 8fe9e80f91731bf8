import CLinuxFiles
import Dispatch
import Foundation

/// Another program, started by this one.
///
/// Foundation's `Process` keeps each process and its pipes for ever, and puts it into a group of its own, which may not
/// read from the terminal.
package struct ChildProgram: Sendable {
    package let pid: Int32

    /// `POSIX_SPAWN_SETSID` of spawn.h, which Glibc's module does not show.
    private static let newSession: Int16 = 0x80

    /// This program, even if its file was replaced meanwhile.
    package static let own = "/proc/self/exe"

    /// - Parameters:
    ///   - path: the program; without a slash it is looked for in `PATH`.
    ///   - arguments: without the program's name.
    ///   - descriptors: what its descriptors 0, 1, 2 and so on are. It has no others.
    ///   - environment: variables beside those of this process.
    ///   - isOwnSession: whether signals of this program's terminal leave it alone.
    /// - Throws: `EarshotError` `programUnusable`.
    package init(
        _ path: String, _ arguments: [String], descriptors: [Int32], environment: [String: String] = [:],
        isOwnSession: Bool = false
    ) throws(EarshotError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        for descriptor in Self.inheritable where descriptor >= descriptors.count {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores some signals, and a new one would go on ignoring them.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | (isOwnSession ? Self.newSession : 0))
        let name = path == Self.own ? CommandLine.arguments[0] : path
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (words, variables) = (Self.strings([name] + arguments), Self.strings(all.map { "\($0)=\($1)" }))
        defer { for string in words + variables { free(string) } }
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, path, &actions, &attributes, words, variables)
        guard error == 0 else {
            throw EarshotError(
                .programUnusable, "\(path) cannot be started: \(String(cString: strerror(error)))",
                .init(path: path, systemError: error))
        }
        self.pid = pid
    }

    /// C's strings, with `nil` behind the last.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// What a child would get from whoever has started this program, and who may wait until nobody has it open.
    private static var inheritable: [Int32] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") } catch { return [] }
        return names.compactMap { Int32($0) }.filter {
            let flags = fcntl($0, F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }

    /// Makes a pipe, which no child gets but the one that it is given to.
    package static func pipe() throws(EarshotError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard clinuxfiles_pipe(&ends, O_CLOEXEC) == 0 else {
            throw EarshotError(
                .programUnusable, "there is no pipe to be had: \(String(cString: strerror(errno)))",
                .init(systemError: errno))
        }
        return (ends[0], ends[1])
    }

    /// Waits for its end, on a thread that may block.
    /// - Returns: its exit code; 128 and the number of the signal that ended it.
    package func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7f
                continuation.resume(returning: signal == 0 ? status >> 8 & 0xff : 128 + signal)
            }
        }
    }
}
