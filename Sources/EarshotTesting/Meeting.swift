import Earshot
import EarshotModel

/// A node that has just begun, and the nodes that it should be linked to.
struct Meeting {
    /// Events that may end the wait.
    private static let news: Set<EventName> = [.userDiscovered, .userUpdated, .linkFailed, .nodeStateChanged]

    private let newcomer: SimulatedHost
    private let others: [SimulatedHost]

    init(of newcomer: SimulatedHost, with others: [SimulatedHost]) {
        self.newcomer = newcomer
        self.others = others
    }

    /// Returns when each pair has a link, or has reported that it will have none.
    func takePlace() async {
        guard let node = newcomer.runningNode else { return }
        let (changes, change) = AsyncStream<LinkFailure?>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        var tokens: [EventObserverToken] = []
        for host in others + [newcomer] {
            guard let watched = host.runningNode else { continue }
            let token = watched.events.addObserver(for: Self.news) { event in
                if case .linkFailed(let failure) = event { change.yield(failure) } else { change.yield(nil) }
            }
            tokens.append(token)
        }
        change.yield(nil)
        var missing = others
        var refused: Set<String> = []
        for await failure in changes {
            if let failure, let host = PeerAddress(failure.address)?.host { refused.insert(host) }
            var left: [SimulatedHost] = []
            for host in missing where !(await isSettled(node, host, refused)) { left.append(host) }
            missing = left
            if missing.isEmpty { break }
        }
        withExtendedLifetime(tokens) {}
    }

    private func isSettled(_ node: Node, _ host: SimulatedHost, _ refused: Set<String>) async -> Bool {
        guard let other = host.runningNode, newcomer.runningNode != nil else { return true }
        if refused.contains(host.address) || (refused.contains(newcomer.address) && others.count == 1) { return true }
        let seesOther = await node.users.user(other.userID)?.isOnline == true
        let isSeen = await other.users.user(node.userID)?.isOnline == true
        return seesOther && isSeen
    }
}
