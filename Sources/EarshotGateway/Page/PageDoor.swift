import Earshot

/// Opens and closes the port of loopback on which the page is served, and lets people in.
actor PageDoor {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private enum State {
        case closed
        /// Who waits for the port.
        case opening([CheckedContinuation<Int, any Error>], shut: AsyncStream<Never>.Continuation)
        case open(port: Int, shut: AsyncStream<Never>.Continuation)
        /// Who waits until it is closed.
        case closing([Waiter])
        /// The node ends.
        case ended
    }

    /// A port to be opened, until `shut` ends.
    private struct Order: Sendable {
        let port: Int?
        let untilShut: AsyncStream<Never>
    }

    /// The port that is tried first, so that an open tab and its drafts come back with the node.
    static let usualPort = 7118
    /// How long a tab may use the node without another login.
    static let sessionLifetime = Duration.seconds(30 * 86_400)
    /// How many tabs may be in. Another one ends the session of the oldest.
    static let sessionLimit = 16
    /// How the tokens of tabs begin.
    static let tokenName = "page-"

    private let tokens: TokenBook
    private var state = State.closed
    private var logins = OneTimeLogins()
    private let orders: AsyncStream<Order>
    private let order: AsyncStream<Order>.Continuation

    init(tokens: TokenBook) {
        self.tokens = tokens
        (orders, order) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Opens the port unless it is open, and makes a login.
    /// - Parameter port: the one to open; `nil` for the usual one, or any that is free.
    /// - Returns: the address with the login, which is good once, for a minute.
    /// - Throws: `GatewayError` `portInUse` for a port that cannot be opened, or while another one is open.
    func open(_ port: Int?) async throws -> (address: String, port: Int) {
        let opened = try await openedPort(port)
        guard port == nil || port == opened else {
            throw GatewayError(
                .portInUse, "the page is served on port \(opened) already", .init(port: UInt16(exactly: opened)))
        }
        return ("http://127.0.0.1:\(opened)/#login=\(logins.issue(at: .now))", opened)
    }

    private func openedPort(_ port: Int?) async throws -> Int {
        while case .closing = state { await untilClosed() }
        switch state {
        case .open(let port, _): return port
        case .ended, .closing: throw GatewayError(.stopped, "the node ends")
        case .closed, .opening: break
        }
        return try await withCheckedThrowingContinuation { waiter in
            if case .opening(let waiters, let shut) = state {
                state = .opening(waiters + [waiter], shut: shut)
            } else {
                let (untilShut, shut) = AsyncStream<Never>.makeStream()
                state = .opening([waiter], shut: shut)
                order.yield(Order(port: port, untilShut: untilShut))
            }
        }
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
        let revocation = await revoke(sessions)
        switch state {
        case .open(_, let shut):
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

    private var sessions: [TokenRecord] { tokens.all.filter { $0.name.hasPrefix(Self.tokenName) } }

    /// Ends all of them, also if the disk fails at one.
    private func revoke(_ sessions: some Sequence<TokenRecord>) async -> Result<Void, EarshotError> {
        var result = Result<Void, EarshotError>.success(())
        for session in sessions {
            do { _ = try await tokens.revoke(session.tokenID) } catch { result = .failure(error) }
        }
        return result
    }

    /// - Returns: the token of a new session; `nil` for a login that is not good, or was.
    func enter(_ login: String) async throws -> String? {
        guard logins.redeem(login, at: .now) else { return nil }
        try await revoke(sessions.dropLast(Self.sessionLimit - 1)).get()
        let name = Self.tokenName + String(UInt64.random(in: .min ... .max), radix: 36)
        return try await tokens.create(
            name, scopes: [Scope.all.rawValue], recipients: nil, lifetime: Self.sessionLifetime
        ).text
    }

    /// Serves whenever the port is to be open, until the task is cancelled.
    /// - Parameter serve: serves on a port, 0 for any, until its task is cancelled, and calls the closure once it answers.
    nonisolated func run(
        _ serve:
            @escaping @Sendable (_ port: Int, _ onListening: @escaping @Sendable (Int) async -> Void) async throws
            -> Void
    ) async {
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

    private nonisolated func serveSomewhere(
        _ port: Int?,
        _ serve:
            @escaping @Sendable (_ port: Int, _ onListening: @escaping @Sendable (Int) async -> Void) async throws
            -> Void
    ) async {
        for candidate in port.map({ [$0] }) ?? [Self.usualPort, 0] {
            do { return try await serve(candidate) { await self.opened($0) } } catch {
                guard !Task.isCancelled, await isOpening else { return }
                // Another one may be free.
                if port != nil || candidate == 0 { await failed(error) }
            }
        }
    }

    private var isOpening: Bool { if case .opening = state { true } else { false } }

    private func opened(_ port: Int) {
        guard case .opening(let waiters, let shut) = state else { return }
        state = .open(port: port, shut: shut)
        for waiter in waiters { waiter.resume(returning: port) }
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
