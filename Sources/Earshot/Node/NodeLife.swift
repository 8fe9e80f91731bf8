/// Who keeps a node's home, and who waits for the end of the node's life.
struct NodeLife {
    /// Kept until the last write to the home directory is done: by the node until it has stopped, and meanwhile by anything else
    /// that writes there.
    private(set) var lock: HomeLock?
    /// Who ends the node.
    enum End {
        /// Nobody runs it, so whoever stops it ends it.
        case free
        /// Its run does, or it is ending already.
        case begun
        case over
    }

    var end = End.free
    /// Whether somebody has called for it to run.
    var hasRun = false
    /// Why the node ended, if nobody asked it to.
    var failure: EarshotError?
    private var settling: [CheckedContinuation<Void, Never>] = []
    private var stopping: [CheckedContinuation<Void, Never>] = []

    init(_ lock: HomeLock) { self.lock = lock }

    /// Nothing more is written to the home: it may belong to another node from now on.
    mutating func giveUpHome() { lock = nil }

    mutating func waitUntilSettled(_ waiting: CheckedContinuation<Void, Never>) { settling.append(waiting) }

    mutating func waitUntilStopped(_ waiting: CheckedContinuation<Void, Never>) { stopping.append(waiting) }

    /// Whether somebody waits until everything is on the disk.
    var isAwaited: Bool { !settling.isEmpty }

    /// Everything that waited is on the disk.
    mutating func settled() {
        for waiting in settling { waiting.resume() }
        settling = []
    }

    /// What a node that has stopped answers.
    var stoppedError: EarshotError { stoppedError("the node has stopped") }

    /// What it answers to requests that it took and did not come to.
    var unfinishedError: EarshotError { stoppedError("the node has stopped before this was done") }

    /// Adds to a sentence why the node ended, if nobody asked it to.
    private func stoppedError(_ sentence: String) -> EarshotError {
        guard let failure else { return EarshotError(.stopped, sentence) }
        return EarshotError(.stopped, "\(sentence): \(failure.message)", cause: failure)
    }

    mutating func stopped() {
        end = .over
        for waiting in stopping { waiting.resume() }
        stopping = []
    }
}
