import EarshotModel

/// What everybody says once all is well and nothing is left to do. Nothing breaks a link from now on, so what a node has
/// forgotten to tell is not made up for by the next one.
extension Simulation {
    /// How long they talk, in microseconds.
    private static let talk: Int64 = 3_000_000
    /// How long after that it may take until all of it is delivered: a link may have only one end left, which nobody has noticed
    /// yet, and then it is dialled anew.
    private static let patience = (Timing.deadAfterSilence + Timing.redialCeiling) * 1_000
    private static let wordsPerNode = 6
    /// No number of a message before.
    private static let firstNumber = 9_000_000

    /// The course that is compared between versions ends here.
    mutating func beginCalm() {
        log("everybody is at rest, and speaks once more")
        calm = Calm(digest: trace.value, end: time + Self.talk)
        endTime = time + Self.talk + Self.patience
        for index in nodes.indices {
            let peers = nodes[index].contacts.filter { !isSameUser(index, $0) && isExpected(index, $0) }
            guard !peers.isEmpty else { continue }
            for number in 0..<Self.wordsPerNode {
                let peer = peers[Int.random(in: peers.indices, using: &calmChance)]
                var errand = Errand(peer: peer, number: Self.firstNumber + number)
                if calmChance.oneIn(3) { errand.count = Int.random(in: 2...20, using: &calmChance) }
                if configuration.hasGroups { errand.isToAll = calmChance.oneIn(2) }
                queue.push(.send(node: index, errand), at: time + Int64.random(in: 0..<Self.talk, using: &calmChance))
            }
        }
    }
}

/// The time after the first rest.
struct Calm {
    /// Of everything before.
    let digest: Bytes32
    /// When everybody has spoken.
    let end: Int64
}
