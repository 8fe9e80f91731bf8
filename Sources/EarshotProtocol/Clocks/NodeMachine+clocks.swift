package import EarshotModel

/// What a node does when the ground moves: another network, a sleep, a clock that is set.
extension NodeMachine {
    /// An address, an interface or a route of this host changed: links may be dead without a word, and peers may be
    /// reachable that were not.
    package mutating func networkChanged(now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.dialAtOnce(now: now)
            node.doubtLinks(isAnew: false, now: now)
        }
    }

    /// The host resumed from sleep, or the process was stopped for a while. A machine finds that out by itself at its
    /// next deadline; a shell that is told may be quicker.
    package mutating func woke(now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.clocks.woke(), now: now) }
    }

    /// The wall clock was set. What was refused for a wrong clock may be accepted now, and what was valid may be over.
    package mutating func clockChanged(now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.clocks.changed(now), now: now) }
    }

    mutating func noticeClocks(now: Moment) {
        for action in clocks.notice(now) { run(action, now: now) }
    }

    private mutating func run(_ action: ClockMachine.Action, now: Moment) {
        switch action {
        case .wokeUp:
            dialAtOnce(now: now)
            doubtLinks(isAnew: true, now: now)
        case .wasSet(let jump):
            peers.clockWasSet(by: jump)
            // The host tells of every time that its clock is set, also by a little, and also where the machine has found out itself.
            if jump.magnitude > UInt64(Timing.clockJump) { post(.clockSet(ClockChange(forward: jump))) }
            dialAtOnce(now: now)
            // The next tick looks at all that depends on the wall clock.
            clocks.wake(by: now.uptime)
        }
    }

    private mutating func dialAtOnce(now: Moment) {
        peers.recall(trust.reachableDevices, now: now.uptime)
        peers.dialEverybody(now: now.uptime)
    }

    /// How far the wall clock was set within so many milliseconds; `nil` if it was not.
    package func clockWasSet(within milliseconds: Int64, now: Moment) -> Int64? {
        clocks.lastJump.flatMap { now.uptime - $0.uptime <= milliseconds ? $0.by : nil }
    }

    /// How far the last timestamp is ahead of the wall clock, in milliseconds.
    package func stampsAhead(now: Moment) -> Int64 { clocks.stampsAhead(now: now) }

    /// How far the clocks of the users seen last are ahead of this node's, in milliseconds; negative for behind. Users
    /// that were refused are among them, under the names that they gave. By name.
    package var peerClocks: [(userID: UserID, name: UserName, offset: Int64)] {
        clocks.peersByName.map { ($0.userID, $0.name, $0.offset) }
    }
}
