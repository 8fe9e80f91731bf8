import Earshot
package import Foundation

/// What a user says of themselves, as the local API shows it. Texts are empty where they say nothing.
package struct GatewayProfile: Codable, Hashable, Sendable {
    package let friendlyName: String
    /// A JSON object, as text.
    package let attributes: String
    /// A file in base64 (RFC 4648, section 4).
    package let picture: Data
    package let isBot: Bool
    /// Of a bot, what people may type.
    package let commands: [Command]

    package struct Command: Codable, Hashable, Sendable {
        package let name: String
        package let summary: String
        package let usage: String

        package init(name: String, summary: String, usage: String) {
            self.name = name
            self.summary = summary
            self.usage = usage
        }
    }

    init(_ profile: Profile?) {
        friendlyName = profile?.friendlyName ?? ""
        attributes = profile?.attributes ?? ""
        picture = Data(profile?.picture ?? [])
        isBot = profile?.bot != nil
        commands = (profile?.bot?.commands ?? []).map {
            Command(name: $0.name, summary: $0.summary, usage: $0.usage)
        }
    }
}
