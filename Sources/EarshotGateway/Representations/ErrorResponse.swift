import Earshot

/// The body of every response that reports an error.
struct ErrorResponse: Codable, Sendable {
    struct Body: Codable, Sendable {
        let code: String
        let message: String
        let parameters: GatewayErrorParameters?
    }

    let error: Body

    init(error: Body) { self.error = error }

    init(_ error: GatewayError) {
        self.error = Body(
            code: error.code.description, message: error.message, parameters: GatewayErrorParameters(error.parameters))
    }
}
