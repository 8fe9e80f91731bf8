import NIOHTTP1

/// Finds the handler of a request.
struct Router: Sendable {
    typealias Handler = @Sendable (Request) async throws -> Response

    private struct Route: Sendable {
        enum Segment: Sendable {
            case literal(String)
            case parameter(String)
        }

        let method: HTTPMethod
        let segments: [Segment]
        let handler: Handler

        /// - Returns: the texts in the open places; `nil` for another path.
        func match(_ path: [Substring]) -> [String: Substring]? {
            guard path.count == segments.count else { return nil }
            var parameters: [String: Substring] = [:]
            for (segment, text) in zip(segments, path) {
                switch segment {
                case .literal(let literal): guard text == literal else { return nil }
                case .parameter(let name): parameters[name] = text
                }
            }
            return parameters
        }
    }

    private var routes: [Route] = []

    /// - Parameter path: the route's segments. A segment in braces is open, and has that name. If several routes match,
    ///   the first counts.
    mutating func on(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) {
        let segments = path.split(separator: "/").map { text -> Route.Segment in
            guard text.hasPrefix("{"), text.hasSuffix("}") else { return .literal(String(text)) }
            return .parameter(String(text.dropFirst().dropLast()))
        }
        routes.append(Route(method: method, segments: segments, handler: handler))
    }

    /// - Returns: `nil` if no route matches.
    func respond(to request: Request) async throws -> Response? {
        let path = request.path.split(separator: "/")
        for route in routes where route.method == request.method {
            guard let parameters = route.match(path) else { continue }
            var request = request
            request.parameters = parameters
            return try await route.handler(request)
        }
        return nil
    }
}
