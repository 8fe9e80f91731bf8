import Earshot
import Foundation

/// What users say of themselves.
struct ProfileRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/profile") { _ in try .json(GatewayProfile(try await node.users.ownProfile())) },
            .post("/v1/profile", ProfileRequest.self, scope: .all) { try await update($1) },
            .get("/v1/users/{user}/profile") { request in
                try .json(GatewayProfile(try await node.users.profile(of: try await user(of: request).userID)))
            },
        ]
    }

    /// - Returns: the profile as it is now.
    private func update(_ body: ProfileRequest) async throws -> Response {
        let profile = body.applied(to: try await node.users.ownProfile() ?? Profile())
        try await node.users.updateOwn(profile)
        return try .json(GatewayProfile(profile))
    }
}

/// The body of `POST /v1/profile`: what is left out stays as it is.
struct ProfileRequest: RequestBody, Encodable {
    var friendlyName: String?
    var attributes: String?
    var picture: Data?
    var isBot: Bool?
    var commands: [GatewayProfile.Command]?

    func applied(to profile: Profile) -> Profile {
        var profile = profile
        if let friendlyName { profile.friendlyName = friendlyName }
        if let attributes { profile.attributes = attributes }
        if let picture { profile.picture = Array(picture) }
        if let isBot { profile.bot = isBot ? profile.bot ?? BotProfile() : nil }
        if let commands {
            profile.bot = BotProfile(
                commands: commands.map { BotProfile.Command(name: $0.name, summary: $0.summary, usage: $0.usage) })
        }
        return profile
    }
}

extension ProfileRequest {
    /// - Throws: `GatewayError` `invalidRequest` for a picture that is not base64.
    init(_ fields: inout JSONFields) throws(GatewayError) {
        friendlyName = try fields.optional("friendlyName", .text)
        attributes = try fields.optional("attributes", .text)
        if let text = try fields.optional("picture", .text) {
            guard let bytes = Data(base64Encoded: text) else {
                throw GatewayError(.invalidRequest, "the picture is not base64", .init(name: "picture"))
            }
            picture = bytes
        }
        isBot = try fields.optional("isBot", .bool)
        commands = try fields.optional("commands", .list(of: .object(GatewayProfile.Command.self)))
    }
}

extension GatewayProfile.Command: RequestBody {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        self.init(
            name: try fields.required("name", .text), summary: try fields.required("summary", .text),
            usage: try fields.required("usage", .text))
    }
}
