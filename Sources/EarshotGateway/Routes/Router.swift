import Earshot
import NIOHTTP1

/// Finds the route of a request.
struct Router: Sendable {
    let routes: [Route]
    private let held: HeldRequests

    init(routes: [Route], held: HeldRequests = HeldRequests()) {
        self.routes = routes
        self.held = held
    }

    /// How long a path may be for which the nearest route is looked for.
    private static let comparedBytes = 256

    /// What takes in the body of a request while it comes; `nil` where it is read into the memory.
    /// - Throws: what keeps the route from taking it.
    func intake(for request: Request) async throws -> Intake? {
        guard
            let route = routes.first(where: {
                $0.takesIn && $0.method == request.method && $0.path.match(request.path) != nil
            })
        else { return nil }
        return try await route.intake(for: request)
    }

    /// - Throws: `GatewayError` `unknownEndpoint`, with the nearest path; `methodNotAllowed`, with the methods that the
    ///   path has; and what the route throws.
    func respond(to request: Request) async throws -> Response {
        let (route, parameters) = try find(request)
        return try await route.respond(to: request.filled(with: parameters), holding: held)
    }

    private func find(_ request: Request) throws(GatewayError) -> (Route, [String: Substring]) {
        let matches = routes.compactMap { route in route.path.match(request.path).map { (route, $0) } }
        // Of several paths, the one with fewer open places is meant.
        guard let path = matches.map(\.0.path).min(by: { $0.parameters.count < $1.parameters.count }) else {
            throw unknown(request)
        }
        let candidates = matches.filter { $0.0.path == path }
        guard let (route, parameters) = candidates.first(where: { $0.0.method == request.method }) else {
            let methods = candidates.map(\.0.method.rawValue)
            throw GatewayError(
                .methodNotAllowed,
                "\(Excerpt.of(request.path)) has no \(request.method.rawValue), only \(methods.joined(separator: ", "))",
                .init(suggestions: methods))
        }
        return (route, parameters)
    }

    private func unknown(_ request: Request) -> GatewayError {
        let path = Excerpt.of(request.path)
        guard request.path.utf8.count <= Self.comparedBytes,
            let nearest = routes.min(by: { $0.path.distance(to: request.path) < $1.path.distance(to: request.path) })
        else { return GatewayError(.unknownEndpoint, "there is no \(path)") }
        return GatewayError(
            .unknownEndpoint, "there is no \(path); the nearest is \(nearest.path)",
            .init(suggestions: [nearest.path.description]))
    }
}
