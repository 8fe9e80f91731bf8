/// What can be seen of a home directory from outside, without a node.
struct HomeFacts: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case initialized
        /// There is no identity in it, or no directory.
        case notInitialized
        /// With a reason for people.
        case unusable(String)
    }

    /// A file that others than its owner may read or write.
    struct LooseFile: Hashable, Sendable {
        let path: String
        /// As chmod(1) takes it: what it should be.
        let mode: String
        /// Whether a node refuses to run with it.
        let isRefused: Bool
    }

    enum Lock: Hashable, Sendable {
        /// Nobody holds it. `writtenBy` is the process that a node which did not end cleanly left in its text.
        case free(writtenBy: Int32?)
        /// A process holds it; its pid, where the file says so.
        case held(Int32?)
    }

    enum Socket: Hashable, Sendable {
        case absent
        /// There is a file, and nobody listens on it.
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
                    .home, "there is no identity in \(path)", why: "a node speaks for an identity, and there is none",
                    remedy: "make one with: earshot init --name YOUR-NAME, or name another home with --home")
            ]
        case .unusable(let reason):
            [
                .problem(
                    .home, reason, why: "a node cannot run without its home directory",
                    remedy: "check that \(path) is a directory of yours, or name another home with --home")
            ]
        }
    }

    private var looseFindings: [Finding] {
        guard !loose.isEmpty else { return [.ok(.home, "\(path) is its owner's alone")] }
        return loose.map { file in
            let what = "others may read \(file.path)"
            let remedy = "chmod \(file.mode) \(file.path)"
            guard file.isRefused else {
                return .warning(.home, what, why: "it is meant for its owner alone", remedy: remedy)
            }
            return .problem(
                .home, what, why: "whoever reads the keys can speak as you, so a node refuses to run with them",
                remedy: remedy)
        }
    }

    private var lockFindings: [Finding] {
        switch (lock, socket) {
        case (.free(nil), _): return [.ok(.lock, "no node holds the home directory")]
        case (.free(let pid?), _):
            return [
                .note(
                    .lock, "the lock names process \(pid), which holds it no longer",
                    why: "the last node here did not end cleanly; nothing it accepted is lost",
                    remedy: "nothing to do: the next node takes the lock over")
            ]
        case (.held(let pid), .answers): return [.ok(.lock, "a node runs\(pid.map { ", pid \($0)" } ?? "")")]
        case (.held(let pid), _):
            let holder = pid.map { "process \($0)" } ?? "a process of unknown pid"
            return [
                .problem(
                    .lock, "\(holder) holds \(path), and no node answers on its socket",
                    why: "one node at a time owns a home directory, and this command cannot reach that one: it may be "
                        + "a node in a container or on another machine that shares the directory, or one that hangs",
                    remedy: "end \(pid.map { "process \($0)" } ?? "that process"); "
                        + "two nodes need two identities: earshot init --home OTHER-DIRECTORY")
            ]
        }
    }

    private var socketFindings: [Finding] {
        guard case .free = lock, socket == .deaf else { return [] }
        return [
            .note(
                .socket, "\(path)/node.sock was left by a node that did not end cleanly",
                why: "nobody listens on it", remedy: "nothing to do: the next node replaces it")
        ]
    }
}
