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

    /// - Throws: `GatewayError` `unknownEndpoint`, with the nearest path; `methodNotAllowed`, with the methods that the
    ///   path has; and what the route throws.
    func respond(to request: Request) async throws -> Response {
        var methods: [String] = []
        for route in routes {
            guard let parameters = route.path.match(request.path) else { continue }
            guard route.method == request.method else {
                methods.append(route.method.rawValue)
                continue
            }
            return try await route.respond(to: request.filled(with: parameters), holding: held)
        }
        guard methods.isEmpty else {
            throw GatewayError(
                .methodNotAllowed,
                "\(request.path) has no \(request.method.rawValue), only \(methods.joined(separator: ", "))",
                .init(suggestions: methods))
        }
        throw unknown(request)
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
