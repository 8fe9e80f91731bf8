import EarshotProtocol

extension NodeFacts {
    /// This machine's clock against the peers': where most differ from this one, this one is wrong.
    var clockFindings: [Finding] {
        let wrong = clocks.filter { $0.ahead.magnitude > UInt64(Timing.clockTolerance) }
        let disputes = clockDisputes
        let compared = clocks.count + disputes.count
        guard compared > 0 else { return [.note(.clock, "this machine's clock was compared with nobody's")] }
        let differing = wrong.count + disputes.count
        guard differing > 0 else {
            return [.ok(.clock, "this machine's clock agrees with \(Wording.count(compared, "peer's", "peers'"))")]
        }
        guard differing * 2 > compared else { return wrong.map(finding) + disputes.map(finding) }
        return [ownClock(wrong, disputes: disputes, compared: compared)]
    }

    private func ownClock(_ wrong: [PeerClock], disputes: [String], compared: Int) -> Finding {
        let who = compared == 1 ? "the only peer's" : "\(wrong.count + disputes.count) of \(compared) peers'"
        let median = wrong.map(\.ahead).sorted()[safely: wrong.count / 2]
        let way = median.map { ahead in
            "is \(Wording.span(milliseconds: ahead)) \(ahead > 0 ? "behind" : "ahead of")"
        }
        return .problem(
            .clock, "this machine's clock \(way ?? "differs by more than an hour from") \(who)",
            why: compared == 1
                ? "one of the two is wrong; credentials and the order of messages depend on the clocks"
                : "credentials and the order of messages depend on the clocks",
            remedy: "set the clock by the network: timedatectl set-ntp true; compare with: timedatectl")
    }

    private func finding(_ clock: PeerClock) -> Finding {
        let way = clock.ahead > 0 ? "ahead" : "behind"
        return .warning(
            .clock, "\(clock.name)'s clock is \(Wording.span(milliseconds: clock.ahead)) \(way), and most peers' are not",
            why: "their messages show the wrong time, and their credential may be refused",
            remedy: "set the clock there: timedatectl set-ntp true")
    }

    private func finding(_ address: String) -> Finding {
        .warning(
            .clock, "the clock at \(address) differs by more than an hour, and most peers' do not",
            why: "no link can be made: a credential is not yet valid by one of the clocks",
            remedy: "set the clock there: timedatectl set-ntp true")
    }

    /// Where links failed because two clocks cannot both be right: a credential begins an hour before it is made, so
    /// whoever finds one not yet valid is behind; and whoever finds this node's expired while it is not is ahead.
    private var clockDisputes: [String] {
        let reasons = failures.filter { failure in
            switch failure.closeReason.flatMap(CloseReason.init) {
            case .credentialNotYetValid: true
            case .credentialExpired: failure.code == ProtocolError.Code.closedByPeer.description
            default: failure.code == ProtocolError.Code.credentialNotYetValid.description
            }
        }
        return reasons.reduce(into: []) { hosts, failure in
            let host = PeerAddress(failure.address)?.host ?? failure.address
            if !hosts.contains(host) { hosts.append(host) }
        }
    }
}

extension Array {
    fileprivate subscript(safely index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
