import ArgumentParser
import Earshot

/// Who may have a link to the node.
struct AdmissionOptions: ParsableArguments {
    @Option(
        name: .customLong("allow"), parsing: .singleValue,
        help: ArgumentHelp(
            "Link only to this user: a known name, or a key. May be repeated.", valueName: "name"),
        completion: UserArgument.completion)
    var allowed: [String] = []

    @Flag(
        name: .customLong("only-known"),
        help: "Link only to users whose names are pinned here: those with whom messages were exchanged.")
    var isOnlyKnown = false

    /// Tells the node whom to admit, before it goes on the network.
    /// - Returns: who is admitted; `nil` for everybody.
    /// - Throws: `EarshotError` `unknownUser` or `ambiguousUser`.
    func apply(to node: Node) async throws -> Set<UserID>? {
        guard isOnlyKnown || !allowed.isEmpty else { return nil }
        var admitted: Set<UserID> = []
        if isOnlyKnown {
            admitted = Set(await node.users.all.filter { $0.isPinned && $0.trust != .blocked }.map(\.userID))
        }
        for text in allowed {
            // A key may belong to somebody whom the node has never met.
            if let userID = UserID(text) {
                admitted.insert(userID)
            } else {
                admitted.insert(try await node.users.other(named: text).userID)
            }
        }
        await node.users.admit(.only(admitted))
        return admitted
    }
}
