import EarshotProtocol

/// What went wrong in the last minutes, and may be over already: the node's own counts.
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
                .handshakes, "\(count) closed at once \(Self.span), because too many came",
                why: "somebody floods the port, and new peers may have to try more than once",
                remedy:
                    "see who connects: ss -tn 'sport = :\(port.map { "\($0)" } ?? "PORT")'; keep them out with a firewall"
            )
        ]
    }

    private func finding(_ refusal: RecentTrouble.Counts.Refusal, count: Int) -> Finding {
        let handshakes = Wording.count(count, "handshake was", "handshakes were")
        let by = refusal.isByPeer ? "by peers" : "by this node"
        let what = "\(handshakes) refused \(by) \(Self.span): \(refusal.reason)"
        let why = "there is no link until a handshake succeeds"
        guard refusal.isExpected else { return .warning(.handshakes, what, why: why, remedy: refusal.remedy) }
        return .note(.handshakes, what, why: why, remedy: refusal.remedy)
    }

    // MARK: - The disk

    /// Fewer slow commits than this are told, and are no sign of a slow disk.
    private static let slowCommitsOfSlowDisk = 3

    /// Commits that failed before the disk took writes again, and slow ones. While commits fail, `storageFindings` says
    /// so. What was mended is a note: nothing is left to do, though the reason is worth knowing.
    private var commitFindings: [Finding] {
        guard storageFailure == nil else { return [] }
        guard trouble.commitFailures == 0 else {
            let count = Wording.count(trouble.commitFailures, "commit")
            return [
                .note(
                    .disk, "\(count) failed \(Self.span), and the disk takes writes again",
                    why: "messages wait while the disk takes none",
                    remedy: "look for the reason before it comes back: df -h, dmesg")
            ]
        }
        guard trouble.slowCommits > 0 else { return [] }
        let tenths = Int((trouble.slowestCommit * 10).rounded())
        let seconds = "\(tenths / 10).\(tenths % 10) seconds"
        let why = "a message counts only once it is on the disk, so messages are as slow as that"
        let remedy = "see what else writes to the disk: iostat -x 1; or move the home directory to a faster one"
        guard trouble.slowCommits >= Self.slowCommitsOfSlowDisk else {
            return [.note(.disk, "the disk took \(seconds) for a commit \(Self.span)", why: why, remedy: remedy)]
        }
        let what = "the disk was slow for \(trouble.slowCommits) commits \(Self.span): it took up to \(seconds)"
        return [.warning(.disk, what, why: why, remedy: remedy)]
    }

    // MARK: - Observers

    private var eventFindings: [Finding] {
        guard trouble.eventsLost > 0 else { return [] }
        let count = Wording.count(trouble.eventsLost, "event was", "events were")
        return [
            .warning(
                .events, "\(count) not given to programs that observe this node and are too slow",
                why: "such a program does not see everything; no message is lost",
                remedy: "read the history after an eventsLost, or read the events faster")
        ]
    }
}

extension RecentTrouble.Counts.Refusal {
    /// Two nodes that dial each other, a node that stops or reaches itself: nothing that anybody has to know.
    fileprivate var isTelling: Bool { !["duplicate", "shutdown", "ownIdentity", "logDiffers"].contains(reason) }

    /// Somebody's decision, or another network beside this one.
    fileprivate var isExpected: Bool {
        ["blocked", "notAdmitted", "otherNetwork", "closedByPeer", "identityConflict"].contains(reason)
    }

    fileprivate var remedy: String {
        switch reason {
        case "blocked", "notAdmitted": "nothing, if that is meant; else: earshot users"
        case "otherNetwork": "nothing, if that is meant; else compare the network keys: earshot network show"
        case "identityConflict": "compare fingerprints in person: earshot verify NAME"
        case "closedByPeer": "nothing, if links come about all the same"
        case "credentialExpired", "credentialNotYetValid":
            "check the clocks of both machines: timedatectl; and start the node anew whose credential is over"
        case "unsupportedVersion": "update the older of the two programs"
        case "timeout": "see whether a firewall drops packets on the way"
        case "tooManyRequests" where isByPeer: "wait; if it stays so, restart this node"
        case "tooManyRequests": "see who it is: earshot up --log-level notice; and shut them out: earshot block NAME"
        case "overloaded": "wait, or see who else links to that node: earshot status"
        default:
            "something else speaks to the port, or passes for a peer: see from where with earshot up --log-level notice"
        }
    }
}
