package import EarshotModel

/// What a node does when the ground moves: another network, a sleep, a clock that is set.
extension NodeMachine {
    /// An address, an interface or a route of this host changed: links may be dead without a word, and peers may be
    /// reachable that were not.
    package mutating func networkChanged(now: Moment) -> [NodeAction] {
        dialAtOnce(now: now)
        doubtLinks(isAnew: false, now: now)
        return finish(now: now)
    }

    /// The host resumed from sleep, or the process was stopped for a while. A machine finds that out by itself at its
    /// next deadline; a shell that is told may be quicker.
    package mutating func woke(now: Moment) -> [NodeAction] {
        wakeUp(now: now)
        return finish(now: now)
    }

    /// The wall clock was set. What was refused for a wrong clock may be accepted now, and what was valid may be over.
    package mutating func clockChanged(now: Moment) -> [NodeAction] {
        let jump = lastMoment.map { Self.jump(from: $0, to: now) } ?? 0
        lastMoment = now
        clockWasSet(by: jump, now: now)
        return finish(now: now)
    }

    /// Finds out from the clocks alone that this machine was asleep, or that the wall clock was set.
    mutating func noticeClocks(now: Moment) {
        let last = lastMoment
        lastMoment = now
        if expectedBy < now.uptime, now.uptime - expectedBy > Timing.lateness { wakeUp(now: now) }
        guard let last else { return }
        let jump = Self.jump(from: last, to: now)
        if jump.magnitude > UInt64(Timing.clockJump) { clockWasSet(by: jump, now: now) }
    }

    private static func jump(from last: Moment, to now: Moment) -> Int64 {
        (now.wallClock - last.wallClock) - (now.uptime - last.uptime)
    }

    private mutating func wakeUp(now: Moment) {
        expectedBy = .max
        dialAtOnce(now: now)
        doubtLinks(isAnew: true, now: now)
    }

    private mutating func clockWasSet(by jump: Int64, now: Moment) {
        clocks.shift(by: jump)
        for connectionID in links.keys {
            let offset = links[connectionID]?.machine.clockOffset
            links[connectionID]?.machine.clockOffset = offset.flatMap { ClockOffset.shifted($0, by: jump) }
        }
        dialAtOnce(now: now)
        // The next tick looks at all that depends on the wall clock.
        wakeBound = min(wakeBound, now.uptime)
    }

    private mutating func dialAtOnce(now: Moment) {
        recallDevices(now: now)
        dialer.retryAll(now: now.uptime)
    }

    // MARK: - Links in doubt

    private mutating func doubtLinks(isAnew: Bool, now: Moment) {
        for connectionID in links.keys.sorted() { doubt(connectionID, isAnew: isAnew, now: now) }
    }

    /// Whoever is advertised anew may have come back, and have forgotten a link that this end believes in.
    mutating func doubtIfSilent(_ connectionID: ConnectionID, now: Moment) {
        guard let link = links[connectionID],
            now.uptime - link.machine.lastHeard > Timing.silenceBeforeDoubt
        else { return }
        doubt(connectionID, isAnew: false, now: now)
    }

    private mutating func doubt(_ connectionID: ConnectionID, isAnew: Bool, now: Moment) {
        guard links[connectionID]?.peer != nil,
            let output = links[connectionID]?.machine.doubt(isAnew: isAnew, now: now)
        else { return }
        run(output, on: connectionID, now: now)
        guard let deadline = links[connectionID]?.machine.deadline else { return }
        wakeBound = min(wakeBound, deadline)
    }

    /// A peer does not answer: it is dialled before the link is given up. If it is there, its new link wins.
    mutating func dialBeside(_ connectionID: ConnectionID, now: Moment) {
        guard let link = links[connectionID], let peer = link.peer else { return }
        let delay = local.deviceID < peer.deviceID ? 0 : Timing.dialDeference
        // Where the device is known it is dialled, and not the given address of it, too.
        if dialer.doubted(.device(peer.deviceID), delay: delay, now: now.uptime) { return }
        for target in link.targets where target != .device(peer.deviceID) {
            dialer.doubted(target, delay: delay, now: now.uptime)
        }
    }
}
