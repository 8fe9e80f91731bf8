import EarshotProtocol

/// Which of the conversations of many a name means.
extension Conversations {
    /// One that this node's user belongs to, is invited to, or has belonged to.
    /// - Throws: `EarshotError` `unknownConversation`, with similar names; `ambiguousConversation`; `notJoined` for an open
    ///   one that others advertise.
    func known(named text: String) async throws(EarshotError) -> Conversation {
        let typed = text.hasPrefix("#") ? String(text.dropFirst()) : text
        let sign = typed.lastIndex(of: "@")
        let name = Self.normal(String(typed[..<(sign ?? typed.endIndex)]))
        let all = await node.shell.conversationsOfMany
        var found = all.filter { $0.uniqueName == name }
        if let sign {
            let creatorID = try await creator(String(typed[typed.index(after: sign)...]))
            found.removeAll { $0.details?.creatorID != creatorID }
        }
        for status in Self.precedence {
            let candidates = found.filter { status.contains($0.status) }
            guard !candidates.isEmpty else { continue }
            guard candidates.count == 1 else { throw await ambiguity(of: name, among: candidates) }
            return Conversation(candidates[0], node: node)
        }
        throw await unknown(name, typed, among: all)
    }

    /// An invitation does not make a name ambiguous that somebody uses.
    private static let precedence: [Set<Participant.Status>] = [[.joined], [.invited], [.left, .removed, .closed]]

    /// The name as conversations have it, if it can be one's.
    private static func normal(_ name: String) -> String {
        do { return try UserName(typed: name).text } catch { return name }
    }

    private func creator(_ text: String) async throws(EarshotError) -> UserID {
        text == node.name.text ? node.userID : try await node.users.recipient(text)
    }

    private func ambiguity(of name: String, among candidates: [ConversationOfMany]) async -> EarshotError {
        let creators = await node.shell.names(of: Set(candidates.compactMap { $0.details?.creatorID }))
        var choices: [String] = []
        for candidate in candidates {
            let creatorID = candidate.details?.creatorID
            let isOnly = candidates.count { $0.details?.creatorID == creatorID } == 1
            // An open one has no creator, and is named by its id.
            guard let creatorID, isOnly else {
                choices.append(candidate.conversationID.description)
                continue
            }
            let user = creatorID == node.userID ? node.name.text : creators[creatorID]?.text
            choices.append("#\(name)@\(user ?? creatorID.description)")
        }
        return EarshotError(
            .ambiguousConversation, "there are \(candidates.count) conversations #\(name)",
            .init(name: name, suggestions: choices))
    }

    private func unknown(_ name: String, _ typed: String, among all: [ConversationOfMany]) async -> EarshotError {
        let advertised = await advertised
        guard typed.contains("@") || !advertised.contains(where: { $0.uniqueName == name }) else {
            return EarshotError(.notJoined, "you have not joined #\(name)", .init(name: name))
        }
        let names = all.map(\.uniqueName) + advertised.map(\.uniqueName)
        let near = EditDistance.near(name, among: Set(names)).map { "#\($0)" }
        return EarshotError(
            .unknownConversation, "there is no conversation #\(Excerpt.of(typed))",
            .init(name: Excerpt.of(name), suggestions: near))
    }
}
