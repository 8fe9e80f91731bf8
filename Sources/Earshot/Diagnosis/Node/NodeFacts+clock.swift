extension NodeFacts {
    /// Compares this machine's clock with the peers'. If most differ from this one, this one is wrong.
    var clockFindings: [Finding] { ownClockFindings + comparedClockFindings }

    /// What this machine's clock has done, and to messages.
    private var ownClockFindings: [Finding] {
        var findings: [Finding] = []
        if let setBy = ownClock.setBy {
            let way = setBy > 0 ? "forward" : "back"
            findings.append(
                .warning(
                    .clock, .clockWasSet,
                    "this machine's clock was set \(way) by \(TimeSpan.text(milliseconds: setBy))",
                    why: "messages that were written before show the time as it was then"))
        }
        if ownClock.stampsAhead > Timing.clockTolerance {
            let span = TimeSpan.text(milliseconds: ownClock.stampsAhead)
            findings.append(
                .warning(
                    .clock, .stampsAhead, "the last message is stamped \(span) ahead of this machine's clock",
                    why: "a wrong clock wrote it, and until then each message stands just after the one before"))
        }
        return findings
    }

    private var comparedClockFindings: [Finding] {
        guard !clocks.isEmpty else {
            return [.note(.clock, .clocksNotCompared, "this machine's clock was compared with nobody's")]
        }
        let wrong = clocks.filter { $0.ahead.magnitude > UInt64(Timing.clockTolerance) }
        guard !wrong.isEmpty else {
            return [.ok(.clock, "this machine's clock agrees with \(Wording.count(clocks.count, "peer's", "peers'"))")]
        }
        return wrong.count * 2 > clocks.count ? [ownClock(wrong)] : wrong.map(finding)
    }

    private func ownClock(_ wrong: [PeerClock]) -> Finding {
        let who = clocks.count == 1 ? "\(wrong[0].name)'s" : "\(wrong.count) of \(clocks.count) peers'"
        let median = wrong.map(\.ahead).sorted()[wrong.count / 2]
        let span = TimeSpan.text(milliseconds: median)
        let reason = "credentials and the order of messages depend on the clocks"
        return .problem(
            .clock, .ownClockWrong, "this machine's clock is \(span) \(median > 0 ? "behind" : "ahead of") \(who)",
            why: clocks.count == 1 ? "one of the two is wrong, and \(reason)" : reason)
    }

    private func finding(_ clock: PeerClock) -> Finding {
        let way = clock.ahead > 0 ? "ahead" : "behind"
        return .warning(
            .clock, .peerClockWrong,
            "\(clock.name)'s clock is \(TimeSpan.text(milliseconds: clock.ahead)) \(way), and most peers' are not",
            why: "their messages show the wrong time, and their credential may be refused", .init(name: clock.name))
    }
}
