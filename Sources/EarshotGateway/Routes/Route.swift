import NIOHTTP1

/// One operation of the local API: how a request for it looks, what it needs to be allowed, and what answers it.
struct Route: Sendable {
    typealias Answer = @Sendable (Request) async throws -> Response

    let method: HTTPMethod
    let path: PathTemplate
    /// The items that the query may have.
    let query: [String]
    /// Whether a request has a body.
    let takesBody: Bool
    /// Who may use it.
    let permission: Permission
    /// Whether its answer may take as long as the client likes: such requests have a limit of their own.
    let isHeld: Bool
    private let answer: Answer
    /// Begins to take in a body that comes piece by piece.
    private let takeIn: (@Sendable (Request) async throws -> Intake)?

    private init(
        _ method: HTTPMethod, _ path: String, query: [String], takesBody: Bool, scope: Permission, isHeld: Bool = false,
        takeIn: (@Sendable (Request) async throws -> Intake)? = nil, answer: @escaping Answer
    ) {
        self.method = method
        self.path = PathTemplate(path)
        self.query = query
        self.takesBody = takesBody
        permission = scope
        self.isHeld = isHeld
        self.takeIn = takeIn
        self.answer = answer
    }

    /// A route that reads.
    static func get(
        _ path: String, query: [String] = [], scope: Permission = .read, isHeld: Bool = false,
        _ answer: @escaping Answer
    ) -> Route {
        Route(.GET, path, query: query, takesBody: false, scope: scope, isHeld: isHeld, answer: answer)
    }

    /// A route that takes a body. Fields that the body's type does not read are refused.
    static func post<Body: RequestBody>(
        _ path: String, _ body: Body.Type, scope: Permission,
        _ answer: @escaping @Sendable (Request, Body) async throws -> Response
    ) -> Route {
        Route(.POST, path, query: [], takesBody: true, scope: scope) { try await answer($0, try $0.json(body)) }
    }

    /// A route whose body is too large for the memory: it is taken in while it comes, and answered once all of it is there.
    static func post(
        _ path: String, query: [String], scope: Permission,
        takingIn takeIn: @escaping @Sendable (Request) async throws -> Intake,
        _ answer: @escaping Answer
    ) -> Route {
        Route(.POST, path, query: query, takesBody: true, scope: scope, takeIn: takeIn, answer: answer)
    }

    /// A route that does something and needs no body for it.
    static func post(_ path: String, scope: Permission, _ answer: @escaping Answer) -> Route {
        Route(.POST, path, query: [], takesBody: false, scope: scope, answer: answer)
    }

    static func delete(_ path: String, scope: Permission, _ answer: @escaping Answer) -> Route {
        Route(.DELETE, path, query: [], takesBody: false, scope: scope, answer: answer)
    }

    /// Whether it takes in bodies while they come.
    var takesIn: Bool { takeIn != nil }

    /// Checks what of a request is there before its body, and begins to take that in.
    /// - Throws: `GatewayError` `forbidden`, `invalidRequest`; and what keeps it from being taken in.
    func intake(for request: Request) async throws -> Intake? {
        try request.access.check(permission: permission)
        try request.checkQuery(allowing: query)
        return try await takeIn?(request)
    }

    /// Checks the parts of a request that the route declares, and answers it.
    /// - Throws: `GatewayError` `forbidden`, `invalidRequest`, `tooManyRequests`; and what the answer throws.
    func respond(to request: Request, holding held: HeldRequests) async throws -> Response {
        try request.access.check(permission: permission)
        try request.checkQuery(allowing: query)
        if !takesBody { try request.checkEmpty() }
        guard isHeld else { return try await answer(request) }
        let release = try held.hold(for: request.access) { request.connection?.endResponseEarly() }
        do {
            var response = try await answerWhileAwaited(request)
            response.release = release
            return response
        } catch {
            release()
            throw error
        }
    }

    /// The answer's task is cancelled when the client has left, so what the request holds is free for the next one.
    private func answerWhileAwaited(_ request: Request) async throws -> Response {
        let answering = Task { try await answer(request) }
        request.connection?.cutShort { answering.cancel() }
        return try await withTaskCancellationHandler {
            try await answering.value
        } onCancel: {
            answering.cancel()
        }
    }
}
