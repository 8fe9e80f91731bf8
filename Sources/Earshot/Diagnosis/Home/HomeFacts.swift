/// The facts about a home directory that show without a node.
struct HomeFacts: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case initialized
        /// There is no identity in it, or no directory.
        case notInitialized
        /// With a reason for people.
        case unusable(String)
    }

    /// A file that somebody other than its owner may read or write.
    struct LooseFile: Hashable, Sendable {
        let path: String
        /// What the mode should be, as chmod(1) takes it.
        let mode: String
        /// Whether a node refuses to run with it.
        let isRefused: Bool
    }

    enum Lock: Hashable, Sendable {
        /// Nobody holds it. `writtenBy` is the process of a node that did not end cleanly.
        case free(writtenBy: Int32?)
        /// A process holds it, with its pid if the file says so.
        case held(Int32?)
    }

    enum Socket: Hashable, Sendable {
        case absent
        /// There is a file, but nobody listens on it.
        case deaf
        case answers
    }

    let path: String
    let state: State
    let loose: [LooseFile]
    let lock: Lock
    let socket: Socket
}

extension HomeFacts {
    var findings: [Finding] {
        switch state {
        case .initialized: looseFindings + lockFindings + socketFindings
        case .notInitialized:
            [
                .problem(
                    .home, .notInitialized, "there is no identity in \(path)",
                    why: "a node speaks for an identity, and there is none", .init(path: path))
            ]
        case .unusable(let reason):
            [
                .problem(
                    .home, .unusableHome, reason, why: "a node cannot run without its home directory",
                    .init(path: path))
            ]
        }
    }

    private var looseFindings: [Finding] {
        guard !loose.isEmpty else { return [.ok(.home, "\(path) is its owner's alone")] }
        return loose.map { file in
            let what = "others may read \(file.path)"
            let about = EarshotError.Parameters(path: file.path, mode: file.mode)
            guard file.isRefused else {
                return .warning(.home, .looseFile, what, why: "it is meant for its owner alone", about)
            }
            return .problem(
                .home, .looseFile, what,
                why: "whoever reads the keys can speak as you, so a node refuses to run with them", about)
        }
    }

    private var lockFindings: [Finding] {
        switch (lock, socket) {
        case (.free(nil), _): return [.ok(.lock, "no node holds the home directory")]
        case (.free(let pid?), _):
            return [
                .note(
                    .lock, .staleLock, "the lock names process \(pid), which holds it no longer",
                    why: "the last node here did not end cleanly; nothing it accepted is lost",
                    .init(path: path, processID: pid))
            ]
        case (.held(let pid), .answers): return [.ok(.lock, "a node runs\(pid.map { ", pid \($0)" } ?? "")")]
        case (.held(let pid), _):
            let holder = pid.map { "process \($0)" } ?? "a process of unknown pid"
            return [
                .problem(
                    .lock, .unansweredLock, "\(holder) holds \(path), and no node answers on its socket",
                    why: "one node at a time owns a home directory, and this command cannot reach that one: it may be "
                        + "a node in a container or on another machine that shares the directory, or one that hangs",
                    .init(path: path, processID: pid))
            ]
        }
    }

    private var socketFindings: [Finding] {
        guard case .free = lock, socket == .deaf else { return [] }
        return [
            .note(
                .socket, .staleSocket, "\(path)/node.sock was left by a node that did not end cleanly",
                why: "nobody listens on it", .init(path: "\(path)/node.sock"))
        ]
    }
}
