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

    /// Who they are.
    enum Kind: Hashable, Sendable {
        /// The owner, who alone can open the Unix socket.
        case owner
        /// Somebody who may have the files of the page, and log in.
        case visitor
        /// A tab of the owner's browser.
        case page
        /// A program with a token.
        case program
    }

    let kind: Kind
    /// The token that they have shown, or the session of their tab; `nil` for the owner and visitors.
    let token: Token?
    /// What proves to a tab that the node answers; `nil` for all others.
    private(set) var proof: String?
    private let scopes: Set<Scope>
    /// The only users and conversations to which they may send; `nil` for all.
    private let recipients: Set<Destination>?

    static let owner = Access(.owner, token: nil, [.all])
    static let visitor = Access(.visitor, token: nil, [])

    /// - Parameters:
    ///   - session: of the tab.
    ///   - proof: what proves to it that the node answers.
    static func page(_ session: Token, proof: String) -> Access {
        var access = Access(.page, token: session, [.all])
        access.proof = proof
        return access
    }

    /// A program's.
    init(token: Token, _ scopes: Set<Scope>, recipients: Set<Destination>? = nil) {
        self.init(.program, token: token, scopes, recipients: recipients)
    }

    private init(_ kind: Kind, token: Token?, _ scopes: Set<Scope>, recipients: Set<Destination>? = nil) {
        self.kind = kind
        self.token = token
        self.scopes = scopes
        self.recipients = recipients
    }

    /// Whose are the names that they give to keys, drafts, scheduled messages and consumers: the token's, by its name, so that a
    /// token that is made again under its name goes on; `nil` for the owner. A tab of the page is the owner's.
    var program: String? { kind == .program ? token?.name : nil }

    /// Whether they may do only some of what the owner may.
    var isLimited: Bool { !scopes.contains(.all) }

    /// Who uploads files, and how much of that may wait for a message that brings it along; `nil` for those who may do everything.
    var uploader: Uploader? {
        guard isLimited, let token else { return nil }
        let limit = scopes.contains(.send) ? Limits.unsentUploadBytes : Limits.draftUploadBytes
        return Uploader(token: token.name, limit: limit)
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

    /// - Throws: `GatewayError` `forbidden`.
    func check(permission: Permission) throws(GatewayError) {
        switch permission {
        case .anybody: return
        case .scope(let scope): try check(scope)
        case .page:
            guard kind == .program else { return try check(.all) }
            throw GatewayError(
                .forbidden, "no token may do this, only the page, and the owner on the node's Unix socket")
        case .owner:
            guard kind == .owner else {
                throw GatewayError(.forbidden, "only the owner on the node's Unix socket may do this, without a token")
            }
        }
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

    /// Whether they are told what others have written, and who is there.
    var mayRead: Bool { scopes.contains(.all) || scopes.contains(.read) }

    /// Which events they hear. With the scope `draft` alone, those are of their own drafts.
    /// - Throws: `GatewayError` `forbidden`.
    func hearing() throws(GatewayError) -> Hearing {
        if scopes.contains(.all) { return .everything }
        guard mayRead || scopes.contains(.draft), let token else {
            try check(.read)
            return .everything
        }
        return mayRead ? .allButDrafts(exceptOf: token.name) : .drafts(of: token.name)
    }

    private func check(mayWriteTo destination: Destination) throws(GatewayError) {
        guard let recipients, !recipients.contains(destination) else { return }
        switch destination {
        case .user(let userID):
            throw GatewayError(.forbidden, "the token may not send to this user", .init(userID: userID))
        case .conversation:
            throw GatewayError(.forbidden, "the token may not send to this conversation")
        }
    }
}
