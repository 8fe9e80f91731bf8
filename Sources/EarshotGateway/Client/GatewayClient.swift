import AsyncHTTPClient
public import Earshot
import Foundation
import NIOCore
import NIOHTTP1

/// Speaks to the node that runs on a home directory, over its Unix socket.
///
/// Each method is one endpoint of the local API. All throw `GatewayError`; its code is `noNode` where no node listens.
public struct GatewayClient: Sendable {
    private let http: HTTPClient
    let socketPath: String

    /// Lends a client.
    ///
    /// - Throws: `GatewayError` `socketUnusable` for a home directory whose path is too long, and what the body throws.
    public static func withClient<Result>(
        of home: Home, _ body: (GatewayClient) async throws -> Result
    ) async throws -> Result {
        try SocketPath.check(home.socketFile)
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        // Nobody listens: that is known at once, and waiting does not change it.
        configuration.connectionPool.retryConnectionEstablishment = false
        return try await HTTPClient.withHTTPClient(configuration: configuration) { http in
            try await body(GatewayClient(http: http, socketPath: home.socketFile))
        }
    }

    // MARK: - Endpoints

    public func status() async throws(GatewayError) -> GatewayStatus { try await get("status") }

    /// What the node sees of why messages flow or not. It may take a few seconds.
    public func diagnosis() async throws(GatewayError) -> [GatewayFinding] { try await get("diagnosis") }

    /// What the node has measured, in Prometheus' text format 0.0.4.
    public func metrics() async throws(GatewayError) -> String {
        String(buffer: try await read(request(.GET, at: "/metrics")))
    }

    public func users() async throws(GatewayError) -> [GatewayUser] { try await get("users") }

    /// - Parameter text: a name, a name and the beginning of a fingerprint (`bob@3fk9qbmj`), or a key.
    public func user(named text: String) async throws(GatewayError) -> GatewayUser {
        try await get("users/\(Self.escape(text))")
    }

    /// - Parameter name: what the user was called when that was decided: with another name by now, nothing is done.
    /// - Returns: the user as they are now.
    @discardableResult
    public func decide(
        _ decision: TrustDecision, about user: String, named name: String? = nil
    ) async throws(GatewayError) -> GatewayUser {
        let body = TrustRequest(decision: decision.rawValue, name: name)
        return try await decode(call(.POST, "users/\(Self.escape(user))/trust", body: body))
    }

    public func safetyNumber(with user: String) async throws(GatewayError) -> GatewaySafetyNumber {
        try await get("users/\(Self.escape(user))/safety-number")
    }

    /// Returns when the message is on the disk; the node may have to take back others first.
    /// - Parameter timeToLive: in seconds; 30 days unless given.
    /// - Throws: `GatewayError`; after `timedOut` and `connectionLost` the message may have been accepted all the same.
    public func send(
        _ text: String, to recipient: String, headers: [String: String] = [:], timeToLive: Double? = nil
    ) async throws(GatewayError) -> GatewayMessage {
        let body = SendRequest(to: recipient, text: text, headers: headers, timeToLiveSeconds: timeToLive)
        let response: ByteBuffer
        do {
            response = try await call(.POST, "messages", body: body, within: GatewayLimits.longResponse)
        } catch { throw error.whileSending }
        return try decode(response)
    }

    public func message(_ messageID: String) async throws(GatewayError) -> GatewayMessage {
        try await get("messages/\(Self.escape(messageID))")
    }

    /// Takes back a message that has not left this machine.
    @discardableResult
    public func cancel(_ messageID: String) async throws(GatewayError) -> GatewayMessage {
        try await decode(call(.DELETE, "messages/\(Self.escape(messageID))"))
    }

    /// Deletes the contents of messages, here and nowhere else: all of them or none.
    @discardableResult
    public func deleteContents(of messageIDs: [String]) async throws(GatewayError) -> GatewayDeletedMessages {
        try await decode(call(.POST, "messages/delete-contents", body: DeleteContentsRequest(messages: messageIDs)))
    }

    /// Deletes the contents of all messages with a user, here and nowhere else. It may take long.
    @discardableResult
    public func deleteContents(with user: String) async throws(GatewayError) -> GatewayDeletion {
        let request = try request(.DELETE, "conversations/\(Self.escape(user))/contents")
        return try await decode(read(request, within: GatewayLimits.longResponse))
    }

    /// A page of the conversation with a user, ascending in time.
    ///
    /// - Parameters:
    ///   - before: gives the messages just before this one; without it and `after`, the last ones.
    ///   - after: gives the messages just after this one.
    ///   - limit: 1 to `Limits.historyPage`.
    public func history(
        with user: String, before: String? = nil, after: String? = nil, limit: Int = GatewayLimits.defaultPage
    ) async throws(GatewayError) -> [GatewayMessage] {
        var path = "conversations/\(Self.escape(user))/messages?limit=\(limit)"
        if let before { path += "&before=\(Self.escape(before))" }
        if let after { path += "&after=\(Self.escape(after))" }
        return try await get(path)
    }

    /// Tells the sender that everything up to a message was seen.
    public func markRead(upTo messageID: String, with user: String) async throws(GatewayError) {
        _ = try await call(.POST, "conversations/\(Self.escape(user))/read", body: ReadRequest(upTo: messageID))
    }

    /// What happens from now on: nothing that happens after this returns is missed.
    ///
    /// - Parameter names: which events; all unless given. `eventsLost` is always among them.
    public func events(_ names: Set<EventName>? = nil) async throws(GatewayError) -> GatewayEvents {
        var path = "events"
        if let names { path += "?names=\(names.map(\.rawValue).sorted().joined(separator: ","))" }
        let response = try await execute(request(.GET, path), deadline: .distantFuture)
        guard response.status == .ok else { throw await failure(of: response) }
        return GatewayEvents(body: response.body)
    }

    // MARK: - Requests

    private func get<Body: Decodable>(_ path: String) async throws(GatewayError) -> Body {
        try await decode(call(.GET, path))
    }

    private func call(_ method: HTTPMethod, _ path: String) async throws(GatewayError) -> ByteBuffer {
        try await read(request(method, path))
    }

    private func call(
        _ method: HTTPMethod, _ path: String, body: some Encodable, within limit: TimeAmount = GatewayLimits.response
    ) async throws(GatewayError) -> ByteBuffer {
        var request = try request(method, path)
        do { request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body))) } catch {
            throw GatewayError(.internalError, "the request cannot be encoded: \(error)", cause: error)
        }
        request.headers.add(name: "content-type", value: "application/json")
        return try await read(request, within: limit)
    }

    private func request(_ method: HTTPMethod, _ path: String) throws(GatewayError) -> HTTPClientRequest {
        try request(method, at: "/v1/\(path)")
    }

    private func request(_ method: HTTPMethod, at uri: String) throws(GatewayError) -> HTTPClientRequest {
        guard let url = URL(httpURLWithSocketPath: socketPath, uri: uri) else {
            throw GatewayError(.socketUnusable, "\(socketPath) cannot be written as a URL")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = method
        return request
    }

    private func read(
        _ request: HTTPClientRequest, within limit: TimeAmount = GatewayLimits.response
    ) async throws(GatewayError) -> ByteBuffer {
        let response = try await execute(request, deadline: .now() + limit)
        guard (200..<300).contains(response.status.code) else { throw await failure(of: response) }
        do { return try await response.body.collect(upTo: GatewayLimits.responseBytes) } catch {
            throw GatewayError(transport: error, socketPath: socketPath)
        }
    }

    private func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline
    ) async throws(GatewayError) -> HTTPClientResponse {
        do { return try await http.execute(request, deadline: deadline) } catch {
            throw GatewayError(transport: error, socketPath: socketPath)
        }
    }

    private func failure(of response: HTTPClientResponse) async -> GatewayError {
        do {
            let buffer = try await response.body.collect(upTo: GatewayLimits.eventBytes)
            return GatewayError(try JSONDecoder().decode(ErrorResponse.self, from: Data(buffer.readableBytesView)))
        } catch {
            return GatewayError(
                .unexpectedResponse, "the node answered with status \(response.status.code) and no reason",
                cause: error)
        }
    }

    private func decode<Body: Decodable>(_ buffer: ByteBuffer) throws(GatewayError) -> Body {
        do { return try JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView)) } catch {
            throw GatewayError(
                .unexpectedResponse, "the node's answer cannot be read: \(error)",
                remedy: "is the node of another version? restart it", cause: error)
        }
    }

    /// Percent-encodes everything that is not unreserved in a URI (RFC 3986, section 2.3).
    private static func escape(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
