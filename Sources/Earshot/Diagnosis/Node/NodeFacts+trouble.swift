import EarshotProtocol

/// The node's own counts of what went wrong in the last minutes, and may be over already.
extension NodeFacts {
    var troubleFindings: [Finding] { handshakeFindings + commitFindings + eventFindings }

    private static let span = "in the last \(TimeSpan.text(milliseconds: RecentTrouble.age))"

    // MARK: - Handshakes

    private var handshakeFindings: [Finding] {
        let refusals = trouble.refusals.filter { $0.key.isTelling }
            .sorted { ($1.value, $0.key.reason) < ($0.value, $1.key.reason) }
        let findings = limited + refusals.prefix(Self.shownReasons).map { finding($0.key, count: $0.value) }
        return findings.isEmpty ? [.ok(.handshakes, "no handshake was refused \(Self.span)")] : findings
    }

    private static let shownReasons = 5

    private var limited: [Finding] {
        guard trouble.connectionsLimited > 0 else { return [] }
        let count = Wording.count(trouble.connectionsLimited, "connection was", "connections were")
        return [
            .warning(
                .handshakes, .connectionsLimited, "\(count) closed at once \(Self.span), because too many came",
                why: "somebody floods the port, and new peers may have to try more than once", .init(port: port))
        ]
    }

    private func finding(_ refusal: RecentTrouble.Counts.Refusal, count: Int) -> Finding {
        let handshakes = Wording.count(count, "handshake was", "handshakes were")
        let by = refusal.isByPeer ? "by peers" : "by this node"
        let what = "\(handshakes) refused \(by) \(Self.span): \(refusal.reason)"
        let why = "there is no link until a handshake succeeds"
        let code: Finding.Code = refusal.isByPeer ? .handshakesRefusedByPeers : .handshakesRefused
        let about = EarshotError.Parameters(EarshotError.Detail(refusal.reason))
        guard refusal.isExpected else { return .warning(.handshakes, code, what, why: why, about) }
        return .note(.handshakes, code, what, why: why, about)
    }

    // MARK: - The disk

    /// Fewer slow commits than this are a note, and no sign of a slow disk.
    private static let slowCommitsOfSlowDisk = 3

    /// Commits that failed before the disk took writes again, and slow commits. While commits still fail,
    /// `storageFindings` says so. What is over is a note: nothing is left to do, but the reason is worth knowing.
    private var commitFindings: [Finding] {
        guard storageFailure == nil else { return [] }
        guard trouble.commitFailures == 0 else {
            let count = Wording.count(trouble.commitFailures, "commit")
            return [
                .note(
                    .disk, .commitsFailed, "\(count) failed \(Self.span), and the disk takes writes again",
                    why: "messages wait while the disk takes none")
            ]
        }
        guard trouble.slowCommits > 0 else { return [] }
        let tenths = Int((trouble.slowestCommit * 10).rounded())
        let seconds = "\(tenths / 10).\(tenths % 10) seconds"
        let why = "a message counts only once it is on the disk, so messages are as slow as that"
        guard trouble.slowCommits >= Self.slowCommitsOfSlowDisk else {
            return [.note(.disk, .slowCommits, "the disk took \(seconds) for a commit \(Self.span)", why: why)]
        }
        let what = "the disk was slow for \(trouble.slowCommits) commits \(Self.span): it took up to \(seconds)"
        return [.warning(.disk, .slowCommits, what, why: why)]
    }

    // MARK: - Observers

    private var eventFindings: [Finding] {
        guard trouble.eventsLost > 0 else { return [] }
        let count = Wording.count(trouble.eventsLost, "event was", "events were")
        return [
            .warning(
                .events, .eventsLost, "\(count) not given to programs that observe this node and are too slow",
                why: "such a program does not see everything; no message is lost")
        ]
    }
}

extension RecentTrouble.Counts.Refusal {
    /// Two nodes that dial each other, a node that stops or reaches itself: nobody has to know of these.
    fileprivate var isTelling: Bool { !["duplicate", "shutdown", "ownIdentity", "logDiffers"].contains(reason) }

    /// Somebody's decision, or another network beside this one.
    fileprivate var isExpected: Bool {
        ["blocked", "notAdmitted", "otherNetwork", "closedByPeer", "identityConflict"].contains(reason)
    }
}
