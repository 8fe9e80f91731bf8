import Earshot

/// Opens and closes the port of loopback on which the page is served, and lets people in.
actor PageDoor {
    private enum State {
        case closed
        /// Who waits for the port.
        case opening([CheckedContinuation<Int, any Error>])
        case open(port: Int)
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
    /// How the tokens of tabs begin.
    static let tokenName = "page-"

    private let tokens: TokenBook
    private var state = State.closed
    private var logins = OneTimeLogins()
    private var shut: AsyncStream<Never>.Continuation?
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
        if case .open(let port) = state { return port }
        return try await withCheckedThrowingContinuation { waiter in
            guard case .opening(let waiters) = state else {
                let (untilShut, shut) = AsyncStream<Never>.makeStream()
                self.shut = shut
                state = .opening([waiter])
                order.yield(Order(port: port, untilShut: untilShut))
                return
            }
            state = .opening(waiters + [waiter])
        }
    }

    /// Closes the port, and ends every login and session.
    func close() async throws {
        shut?.finish()
        logins.removeAll()
        for token in tokens.all where token.name.hasPrefix(Self.tokenName) {
            _ = try await tokens.revoke(token.tokenID)
        }
    }

    /// - Returns: the token of a new session; `nil` for a login that is not good, or was.
    func enter(_ login: String) async throws -> String? {
        guard logins.redeem(login, at: .now) else { return nil }
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
            await ended(nil)
        }
        await ended(nil)
    }

    private nonisolated func serveSomewhere(
        _ port: Int?,
        _ serve:
            @escaping @Sendable (_ port: Int, _ onListening: @escaping @Sendable (Int) async -> Void) async throws
            -> Void
    ) async {
        for candidate in port.map({ [$0] }) ?? [Self.usualPort, 0] {
            do { return try await serve(candidate) { await self.opened($0) } } catch {
                guard !Task.isCancelled else { return }
                // Another one may be free.
                if port != nil || candidate == 0 { await ended(error) }
            }
        }
    }

    private func opened(_ port: Int) {
        guard case .opening(let waiters) = state else { return }
        state = .open(port: port)
        for waiter in waiters { waiter.resume(returning: port) }
    }

    private func ended(_ error: (any Error)?) {
        if case .opening(let waiters) = state {
            let error = error ?? GatewayError(.stopped, "the page was closed")
            for waiter in waiters { waiter.resume(throwing: error) }
        }
        state = .closed
        shut = nil
    }
}
