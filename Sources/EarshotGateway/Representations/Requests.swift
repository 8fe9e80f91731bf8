import Earshot

/// The body of `POST /v1/messages`.
struct SendRequest: Codable, Sendable {
    /// A user's name, their name with the beginning of the fingerprint, or their key.
    let to: String
    let text: String
    var headers: [String: String]?
    var timeToLiveSeconds: Double?

    /// - Throws: `GatewayError` `invalidRequest` for a time to live that no clock can hold.
    func draft() throws(GatewayError) -> MessageDraft {
        var draft = MessageDraft(text, headers: headers ?? [:])
        if let timeToLiveSeconds {
            guard timeToLiveSeconds.isFinite, let milliseconds = Int64(exactly: (timeToLiveSeconds * 1000).rounded()),
                (1...Self.longestTimeToLive).contains(milliseconds)
            else {
                throw GatewayError(
                    .invalidRequest, "timeToLiveSeconds is a number above 0 and up to \(Self.longestTimeToLive / 1000)")
            }
            draft.timeToLive = .milliseconds(milliseconds)
        }
        return draft
    }

    /// A hundred years, in milliseconds.
    private static let longestTimeToLive: Int64 = 100 * 365 * 24 * 3600 * 1000
}

/// The body of `POST /v1/conversations/{user}/read`.
struct ReadRequest: Codable, Sendable {
    let upTo: String
}

/// The body of `POST /v1/messages/delete-contents`.
struct DeleteContentsRequest: Codable, Sendable {
    /// Ids of messages. The contents of all of them are deleted, or of none.
    let messages: [String]
}

/// The body of `POST /v1/users/{user}/trust`.
struct TrustRequest: Codable, Sendable {
    /// One of `TrustDecision`.
    let decision: String
    /// The user's name at the time of the decision. If the user has another name now, nothing is done.
    var name: String?

    /// - Throws: `GatewayError` `invalidRequest`.
    func expectedName() throws(GatewayError) -> UserName? {
        guard let name else { return nil }
        do { return try UserName(name) } catch {
            throw GatewayError(.invalidRequest, "name is no user's name: \(error)", cause: error)
        }
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> TrustDecision {
        guard let decision = TrustDecision(rawValue: decision) else {
            let choices = TrustDecision.allCases.map(\.rawValue).joined(separator: ", ")
            throw GatewayError(.invalidRequest, "decision is one of: \(choices)")
        }
        return decision
    }
}

/// The body of every response that reports an error.
struct ErrorResponse: Codable, Sendable {
    struct Body: Codable, Sendable {
        let code: String
        let message: String
        let parameters: GatewayErrorParameters?
    }

    let error: Body

    init(_ error: GatewayError) {
        self.error = Body(
            code: error.code.description, message: error.message, parameters: GatewayErrorParameters(error.parameters))
    }
}
