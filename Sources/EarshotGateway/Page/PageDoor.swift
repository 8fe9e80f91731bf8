import Earshot
import Logging

/// Opens and closes the port of loopback on which the page is served, and lets people in.
///
/// A browser keeps a session for one port. While there is a session, the node opens its port again when it starts, so that tabs
/// and bookmarks go on. If somebody else has the port then, the sessions end: see `SessionProof` for what that one gets.
actor PageDoor {
    /// Serves on a port, 0 for any, until its task is cancelled. It takes proofs over a nonce, and calls the closure once it
    /// answers.
    typealias Serve =
        @Sendable (
            _ port: Int, _ nonce: String, _ onListening: @escaping @Sendable (Int) async -> Void
        ) async throws -> Void

    private typealias Waiter = CheckedContinuation<Void, Never>

    private enum State {
        case closed
        /// Who waits for the port.
        case opening([CheckedContinuation<Int, any Error>], shut: AsyncStream<Never>.Continuation)
        case open(port: Int, nonce: String, shut: AsyncStream<Never>.Continuation)
        /// Who waits until it is closed.
        case closing([Waiter])
        /// The node ends.
        case ended
    }

    /// A port to be opened, until `shut` ends.
    private struct Order: Sendable {
        /// The one that has to be opened; `nil` for any.
        let port: Int?
        let untilShut: AsyncStream<Never>
    }

    /// The port that is tried first where there is no session.
    static let usualPort = 7118

    private let tokens: TokenBook
    private let logger: Logger
    private var state = State.closed
    private var logins = OneTimeLogins()
    private var written: WrittenLogins
    private let writings: AsyncStream<Void>
    private let writing: AsyncStream<Void>.Continuation
    /// The port that sessions had, and somebody else has.
    private var lostPort: Int?
    private let orders: AsyncStream<Order>
    private let order: AsyncStream<Order>.Continuation

    init(node: Node, tokens: TokenBook) {
        self.tokens = tokens
        logger = node.configuration.logger
        written = WrittenLogins(node: node)
        written.removeLeft()
        (writings, writing) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (orders, order) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    // MARK: - The port

    /// Opens the port unless it is open, and makes a login.
    /// - Parameters:
    ///   - port: the one to open; `nil` for that of the sessions, the usual one, or any that is free.
    ///   - isWritten: whether a file leads to the page, for a program that opens a browser.
    /// - Returns: the address with the login, which is good once, for a minute.
    /// - Throws: `GatewayError` `portInUse` for a port that cannot be opened, or while another one is open; `EarshotError`
    ///   `unusableHome`, `looseHome` for a file that cannot be written.
    func open(_ port: Int?, isWritten: Bool = false) async throws -> GatewayPage {
        let opened = try await openedPort(port)
        guard port == nil || port == opened else {
            throw GatewayError(
                .portInUse, "the page is served on port \(opened) already", .init(port: UInt16(exactly: opened)))
        }
        let login = logins.issue(at: .now)
        let address = "http://127.0.0.1:\(opened)/#login=\(login.text)"
        var file: String?
        if isWritten {
            file = try written.write(login.id, address: address, until: .now + OneTimeLogins.lifetime)
            writing.yield()
        }
        return GatewayPage(address: address, port: opened, file: file, lostPort: lostPort)
    }

    private func openedPort(_ port: Int?) async throws -> Int {
        while case .closing = state { await untilClosed() }
        switch state {
        case .open(let port, _, _): return port
        case .ended, .closing: throw GatewayError(.stopped, "the node ends")
        case .closed, .opening: break
        }
        return try await withCheckedThrowingContinuation { waiter in
            if case .opening(let waiters, let shut) = state {
                state = .opening(waiters + [waiter], shut: shut)
            } else {
                begin(port, [waiter])
            }
        }
    }

    private func begin(_ port: Int?, _ waiters: [CheckedContinuation<Int, any Error>]) {
        let (untilShut, shut) = AsyncStream<Never>.makeStream()
        state = .opening(waiters, shut: shut)
        order.yield(Order(port: port, untilShut: untilShut))
    }

    private func untilClosed() async {
        await withCheckedContinuation { waiter in
            guard case .closing(let waiters) = state else { return waiter.resume() }
            state = .closing(waiters + [waiter])
        }
    }

    /// Ends every login and session, and closes the port. It returns when the port is free.
    /// - Throws: `EarshotError` `storeFull`, `storeUnavailable`: then a session is refused only for as long as the node
    ///   runs. The port is closed all the same.
    func close() async throws {
        logins.removeAll()
        written.removeAll()
        lostPort = nil
        let revocation = await revoke(sessions)
        switch state {
        case .open(_, _, let shut):
            state = .closing([])
            shut.finish()
        case .opening(let waiters, let shut):
            state = .closing([])
            shut.finish()
            for waiter in waiters { waiter.resume(throwing: GatewayError(.stopped, "the page was closed")) }
        case .closed, .closing, .ended: break
        }
        await untilClosed()
        try revocation.get()
    }

    // MARK: - Logins and sessions

    /// In the order in which they were made.
    private var sessions: [PageSession] { tokens.all.compactMap(PageSession.init) }

    /// Ends all of them, also if the disk fails at one.
    @discardableResult
    private func revoke(_ sessions: some Sequence<PageSession>) async -> Result<Void, EarshotError> {
        await revoke(ids: sessions.map(\.id))
    }

    private func revoke(ids: [String]) async -> Result<Void, EarshotError> {
        var result = Result<Void, EarshotError>.success(())
        for id in ids { do { _ = try await tokens.revoke(id) } catch { result = .failure(error) } }
        return result
    }

    /// Ends what an earlier version gave to tabs: tokens, which they sent.
    func endOldSessions() async {
        let old = tokens.all.filter { $0.name.hasPrefix(PageSession.namePrefix) && PageSession($0) == nil }
        if case .failure(let error) = await revoke(ids: old.map(\.tokenID)) {
            logger.warning("old sessions of the page are still on the disk", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: a new session; `nil` for a login that is not good, or was, and for who does not prove to have it.
    /// - Throws: `GatewayError` `invalidRequest`; `EarshotError` `storeFull`, `storeUnavailable`.
    func enter(_ request: LoginRequest) async throws -> GatewayPageSession? {
        guard SessionProof.isNonce(request.cnonce) else { throw Self.badNonce }
        guard case .open(let port, _, _) = state else { return nil }
        let login = logins.redeem(request.login, at: .now) { login in
            SessionProof(port: port, nonce: "", clientNonce: request.cnonce)
                .isShown(by: request.proof, as: .login, key: Array(login.secret.utf8))
        }
        guard let login else { return nil }
        written.remove(login.id)
        try await revoke(sessions.dropLast(PageSession.limit - 1)).get()
        let key = Array(login.secret.utf8)
        @Sendable func proof(of session: String) -> SessionProof {
            SessionProof(port: port, nonce: session, clientNonce: request.cnonce)
        }
        let session = try await tokens.createSession(
            PageSession.newName(port: port), lifetime: PageSession.lifetime
        ) { id in proof(of: id).bytes(as: .key, key: key) }
        return GatewayPageSession(
            session: session.tokenID, proof: proof(of: session.tokenID).text(as: .session, key: key))
    }

    /// Proves to a tab that this node knows its session.
    /// - Returns: `nil` for a session that it does not know.
    /// - Throws: `GatewayError` `invalidRequest`.
    func greet(_ session: String, clientNonce: String) throws(GatewayError) -> GatewayGreeting? {
        guard SessionProof.isNonce(clientNonce) else { throw Self.badNonce }
        guard case .open(let port, let nonce, _) = state,
            sessions.contains(where: { $0.id == session && $0.port == port })
        else { return nil }
        var proof = ""
        _ = tokens.session(session) { key in
            proof = SessionProof(port: port, nonce: nonce, clientNonce: clientNonce).text(as: .greeting, key: key)
            return true
        }
        return proof.isEmpty ? nil : GatewayGreeting(nonce: nonce, proof: proof)
    }

    private static let badNonce = GatewayError(
        .invalidRequest, "cnonce is 16 to 64 letters, digits, and any of -_.", .init(name: "cnonce", limit: 64))

    /// Removes the files of logins that nobody has used in time, until the task is cancelled; and then all of them.
    func removeOldFiles() async {
        for await _ in writings {
            while let end = written.nextEnd {
                do { try await ContinuousClock().sleep(until: end) } catch { break }
                written.removeEnded(at: .now)
            }
        }
        written.removeAll()
    }

    // MARK: - Serving

    /// Serves whenever the port is to be open, until the task is cancelled; at once, if there are sessions.
    nonisolated func run(_ serve: @escaping Serve) async {
        await goOn()
        for await order in orders {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in order.untilShut {} }
                group.addTask { await self.serveSomewhere(order.port, serve) }
                await group.next()
                group.cancelAll()
            }
            await became(.closed)
        }
        await became(.ended)
    }

    private func goOn() {
        guard case .closed = state, !sessions.isEmpty else { return }
        begin(nil, [])
    }

    private nonisolated func serveSomewhere(_ port: Int?, _ serve: @escaping Serve) async {
        let last = await sessions.last?.port
        let usual = [last, Self.usualPort == last ? nil : Self.usualPort, 0].compactMap(\.self)
        for candidate in port.map({ [$0] }) ?? usual {
            let nonce = SessionProof.randomNonce()
            do { return try await serve(candidate, nonce) { await self.opened($0, nonce) } } catch {
                guard !Task.isCancelled, await isOpening else { return }
                if candidate == last { await lost(candidate) }
                // Another one may be free; but nobody has asked for it where only tabs were to go on.
                if port != nil || candidate == 0 { await failed(error) } else if await endsUnlessAwaited() { return }
            }
        }
    }

    private var isOpening: Bool { if case .opening = state { true } else { false } }

    /// - Returns: whether nobody waits for the port, so that it stays closed.
    private func endsUnlessAwaited() -> Bool {
        guard case .opening(let waiters, _) = state, waiters.isEmpty else { return false }
        state = .closing([])
        return true
    }

    /// Somebody else has the port that tabs of this node know. What they show there they have shown to whoever that is; so it is
    /// good for nothing from now on.
    private func lost(_ port: Int) async {
        lostPort = port
        logger.warning(
            "the page's port is in use by another program: the page's sessions have ended, and its tabs and bookmarks lead there",
            metadata: ["port": "\(port)", "remedy": "close them; earshot web opens the page at another port"])
        await revoke(sessions)
    }

    private func opened(_ port: Int, _ nonce: String) async {
        guard case .opening(let waiters, let shut) = state else { return }
        state = .open(port: port, nonce: nonce, shut: shut)
        for waiter in waiters { waiter.resume(returning: port) }
        // The page is in one place: nobody gets to the others.
        await revoke(sessions.filter { $0.port != port })
    }

    private func failed(_ error: any Error) {
        guard case .opening(let waiters, _) = state else { return }
        state = .closing([])
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    /// Nothing is served any more.
    private func became(_ next: State) {
        failed(GatewayError(.stopped, "the page was closed"))
        if case .closing(let waiters) = state { for waiter in waiters { waiter.resume() } }
        state = next
    }
}
