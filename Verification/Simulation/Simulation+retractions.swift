import EarshotModel
import EarshotProtocol

/// Messages of the open conversation that their authors take back.
extension Simulation {
    mutating func planRetractions() {
        for index in configuration.retractions > 0 ? Array(nodes.indices) : [] {
            for _ in 0..<configuration.retractions {
                let at = Int64.random(in: configuration.trouble / 4..<configuration.trouble, using: &generator)
                queue.push(.takeBack(node: index), at: at)
            }
        }
    }

    /// A node takes back one of the messages that it has written.
    mutating func takeBack(_ index: Int) throws {
        guard nodes[index].isUp, !nodes[index].isStopping, nodes[index].openConversation(groupID)?.isJoined == true
        else { return }
        let own = nodes[index].accepted.filter { $0.text.hasSuffix("to all") && !Self.isKept($0.text) }
        guard !own.isEmpty else { return }
        let (text, messageID, _) = own[Int.random(in: own.indices, using: &generator)]
        guard let held = try nodes[index].store.held(messageID), held.text == text, !held.isWithheld else { return }
        let target = LogPlace(
            logID: held.log.description.logID, sequence: held.entry.sequence, chain: held.entry.chain)
        let requestID = nodes[index].nextRequest(for: [])
        try perform(index) { [groupID] in
            $0.send(
                [.amendment(Amendment(target: target, .retract))], to: .conversation(groupID), requestID: requestID,
                now: $1)
        }
    }

    /// Everybody shows the same messages as taken back, and no disk has their texts.
    mutating func checkRetractions() throws {
        guard configuration.retractions > 0 else { return }
        let anyRestored = nodes.contains(where: \.isRestored)
        for component in components {
            var first: [ChainHash: MessageID]?
            for index in component.sorted() {
                let retracted = try nodes[index].store.history(of: groupID).filter(\.isRetracted)
                for message in retracted where message.hasBody && isAtRest {
                    violated("\(name(index)) holds \"\(message.text.prefix(40))\", which was taken back")
                }
                // One that was taken back before it left, and expired then, is shown so, too.
                let shown = Dictionary(retracted.map { ($0.entry.chain, $0.messageID) }) { first, _ in first }
                if isAtRest, !anyRestored, let first, Set(first.keys) != Set(shown.keys) {
                    let different = shown.filter { first[$0.key] == nil } + first.filter { shown[$0.key] == nil }
                    violated(
                        "\(name(index)) shows \(shown.count) messages as taken back, and others \(first.count): "
                            + "\(different.map(\.value).sorted())")
                }
                first = first ?? shown
            }
        }
    }
}
