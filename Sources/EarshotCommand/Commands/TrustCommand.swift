import ArgumentParser
import Earshot
import EarshotGateway

struct TrustCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Show who claims a name, and decide whose it is.",
        discussion: """
            A name is pinned to the first key that messages were exchanged with. Another key with that name is refused \
            until you decide: either the person has a new key (a new machine, a lost home directory), or somebody \
            pretends to be them. Ask the person, not the network, and compare the fingerprint.

            Somebody to whom a name is pinned keeps it here when they take another, until you agree with --accept.

            With --accept the name goes to the other key. Nothing more is sent to the old one: messages that wait for \
            it fail, and the user no longer counts as verified. On a terminal it asks first. Elsewhere, and with \
            --yes, the beginning of a key is at least its fingerprint: 20 characters.

            EXAMPLES:
              earshot trust bob
              earshot trust bob --accept
              earshot trust bob@3fk9qbmj --accept
              earshot trust bob@3fk9qbmj7x2hwcra5t6n --accept --yes
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    @Flag(name: .customLong("accept"), help: "Give the name to the other key, or to the one that is named.")
    var isAccepting = false

    @Flag(name: .customLong("yes"), help: "Do not ask.")
    var isSure = false

    func validate() throws {
        guard isAccepting || !isSure else { throw ValidationError("--yes goes with --accept.") }
    }

    func execute(_ output: Output) async throws {
        let (claims, names) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let claims = try await readClaims(session, names)
            if !isAccepting {
                try await ClaimsReport(claims: claims, names: names, output: output).show(session.client)
            }
            return (claims, names)
        }
        if isAccepting { try await accept(claims, names, output) }
    }

    private func readClaims(_ session: Session, _ names: NameBook) async throws -> NameClaims {
        do {
            return NameClaims(name, user: try await UserLookup(session: session).known(name, names), names)
        } catch let failure as Failure {
            guard failure.code == .ambiguousUser, names.users(called: name).count > 1 else { throw failure }
            return NameClaims(name, user: nil, names)
        }
    }

    // MARK: - Accepting

    private func accept(_ claims: NameClaims, _ names: NameBook, _ output: Output) async throws {
        switch claims.other {
        case .several(let users): throw names.ambiguity(of: claims.name, among: users)
        case .nobody(let user):
            guard !user.isBlocked else { throw names.blocked(user) }
            if let claimed = user.claimedName { return try await call(user, by: claimed, names, output) }
            try output.object(user)
            output.line("the name \(names.looks(of: user.name)) is pinned to \(user.fingerprint) already")
        case .user(let user):
            guard !user.isBlocked else { throw names.blocked(user) }
            try KeyPrefix(self.name, of: user).checkDecides(isAsking: isAsking, names) {
                "earshot trust \($0) --accept" + (isSure ? " --yes" : "")
            }
            try await confirm(user, claims, names)
            // A node that runs only for this command does not keep running while somebody thinks.
            try await Session.with(common.homeDirectory) { session in
                try await give(to: user, claims, names, session.client, output)
            }
        }
    }

    private var isAsking: Bool { !isSure && Confirmation.isPossible }

    private func confirm(_ user: GatewayUser, _ claims: NameClaims, _ names: NameBook) async throws {
        guard isAsking else { return }
        let name = names.looks(of: user.name)
        let from = claims.pinned.map { "from the key \($0.fingerprint) " } ?? ""
        guard try await Confirmation.ask("Give the name \(name) \(from)to the key \(user.fingerprint)?") else {
            throw Failure(.notConfirmed, "nothing was decided about \(name)")
        }
    }

    /// Agrees to another name of somebody who has one here.
    private func call(_ user: GatewayUser, by name: String, _ names: NameBook, _ output: Output) async throws {
        let (old, new) = (names.looks(of: user.name), names.looks(of: name))
        try KeyPrefix(self.name, of: user).checkDecides(isAsking: isAsking, names) {
            "earshot trust \($0) --accept --yes"
        }
        if isAsking {
            guard try await Confirmation.ask("Call \(old) (\(user.fingerprint)) \(new) from now on?") else {
                throw Failure(.notConfirmed, "nothing was decided about \(old)")
            }
        }
        // Nobody agrees to a name that they did not see.
        guard isAsking || isSure else {
            throw Failure(
                .notConfirmed, "\(old) calls themselves \(new) now, and nobody was asked",
                remedy: "to agree: earshot trust \(names.typed(user)) --accept --yes")
        }
        try await Session.with(common.homeDirectory) { session in
            try output.object(try await session.client.decide(.accept, about: user.id, named: name))
            output.line("\(old) is called \(new) here from now on")
        }
    }

    private func give(
        to user: GatewayUser, _ claims: NameClaims, _ names: NameBook, _ client: GatewayClient, _ output: Output
    ) async throws {
        var waiting: WaitingMessages?
        if let pinned = claims.pinned { waiting = try await WaitingMessages(client, to: pinned) }
        let accepted = try await client.decide(.accept, about: user.id, named: user.name)
        try output.object(accepted)
        let name = names.looks(of: user.name)
        output.line("the name \(name) is pinned to \(accepted.fingerprint)")
        guard let pinned = claims.pinned else { return }
        output.line("it was pinned to \(pinned.fingerprint): nothing is sent to that key any more")
        if let failed = try await waiting?.failed(as: .identityChanged) { output.line(failed) }
    }
}
