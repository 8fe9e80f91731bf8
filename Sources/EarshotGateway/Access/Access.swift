import Earshot

/// What the one who sends a request may do.
struct Access: Hashable, Sendable {
    /// What a program has shown.
    struct Token: Hashable, Sendable {
        let id: String
        /// What the owner calls it.
        let name: String

        /// The token's own identifiers of users.
        var participantIdentifiers: ParticipantIdentifiers {
            ParticipantIdentifiers(application: name, salt: Array(id.utf8))
        }
    }

    /// The token that they have shown; `nil` for the owner, who alone can open the Unix socket.
    let token: Token?
    private let scopes: Set<Scope>
    /// The only users and conversations to which they may send; `nil` for all.
    private let recipients: Set<Destination>?

    static let owner = Access(token: nil, [.all])

    /// Somebody who may have the page, and log in.
    static let visitor = Access(token: nil, [])

    init(token: Token?, _ scopes: Set<Scope>, recipients: Set<Destination>? = nil) {
        self.token = token
        self.scopes = scopes
        self.recipients = recipients
    }

    /// The token that limits them to consumers of its own, by name; `nil` for those who may do everything.
    var limitingToken: String? { scopes.contains(.all) ? nil : token?.name }

    /// Who uploads files, and how much of that may wait for a message that brings it along; `nil` for those who may do everything.
    var uploader: Uploader? {
        limitingToken.map {
            Uploader(token: $0, limit: scopes.contains(.send) ? Limits.unsentUploadBytes : Limits.draftUploadBytes)
        }
    }

    /// - Throws: `GatewayError` `forbidden`.
    func check(_ scope: Scope) throws(GatewayError) {
        // Who may send may also leave it to a person.
        let isGranted = scopes.contains(scope) || scope == .draft && scopes.contains(.send)
        guard scopes.contains(.all) || isGranted else {
            if scope == .send, scopes.contains(.draft) {
                throw GatewayError(
                    .forbidden, "the token may insert drafts, and a person sends them: this needs the scope send",
                    .init(name: scope.rawValue))
            }
            let granted = scopes.map(\.rawValue).sorted().joined(separator: ", ")
            throw GatewayError(
                .forbidden, "the token's scope is \(granted), and this needs \(scope.rawValue)",
                .init(name: scope.rawValue))
        }
    }

    /// For what runs programs of this machine, or tells others: a token that is stolen, or a script in the page, must not.
    /// - Throws: `GatewayError` `forbidden` for everybody but the owner on the Unix socket.
    func checkIsOwner() throws(GatewayError) {
        guard token != nil || !scopes.contains(.all) else { return }
        throw GatewayError(.forbidden, "only the owner on the node's Unix socket may do this, without a token")
    }

    /// - Throws: `GatewayError` `forbidden` unless they may send there.
    func check(sendingTo destination: Destination) throws(GatewayError) {
        try check(.send)
        try check(mayWriteTo: destination)
    }

    /// - Throws: `GatewayError` `forbidden` unless they may insert drafts there.
    func check(draftingTo destination: Destination) throws(GatewayError) {
        try check(.draft)
        try check(mayWriteTo: destination)
    }

    /// Whether they may see and change a draft: everybody their own.
    func mayUse(_ draft: Draft) -> Bool { scopes.contains(.all) || token != nil && draft.insertedBy == token?.name }

    /// Who is said to have inserted a draft.
    /// - Parameter name: what the request says; the name of a token stands for itself.
    /// - Throws: `GatewayError` `forbidden` for another name than that of the token.
    func draftAuthor(_ name: String?) throws(GatewayError) -> String? {
        guard let token, !scopes.contains(.all) else { return name }
        guard name == nil || name == token.name else {
            throw GatewayError(
                .forbidden, "what is inserted with this token bears its name, \(token.name)",
                .init(name: "insertedBy", suggestions: [token.name]))
        }
        return token.name
    }

    /// Whose drafts' events they hear, if they hear no others; `nil` for those who may read.
    /// - Throws: `GatewayError` `forbidden`.
    func eventsOfDrafts() throws(GatewayError) -> String? {
        guard !scopes.contains(.all), !scopes.contains(.read), scopes.contains(.draft), let token else {
            try check(.read)
            return nil
        }
        return token.name
    }

    private func check(mayWriteTo destination: Destination) throws(GatewayError) {
        guard let recipients, !recipients.contains(destination) else { return }
        switch destination {
        case .user(let userID):
            throw GatewayError(
                .forbidden, "the token may not send to \(userID.fingerprint)", .init(userID: userID))
        case .conversation(let conversationID):
            throw GatewayError(.forbidden, "the token may not send to the conversation \(conversationID)")
        }
    }
}
