import Foundation

/// What a profile or a conversation says to programs: the text of a JSON object (RFC 8259), or nothing. Others may write anything
/// there; a text that is no JSON object counts as nothing (docs/PROTOCOL.md, 4.8 and 4.9).
enum ProgramAttributes {
    static func isObject(_ text: String) -> Bool {
        do { return try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any] } catch { return false }
    }

    static func isValid(_ text: String) -> Bool { text.isEmpty || isObject(text) }

    /// The text, if it is one that counts, else nothing.
    static func counting(_ text: String) -> String { isValid(text) ? text : "" }
}

extension Profile {
    /// The profile as it counts.
    var counting: Profile {
        var profile = self
        profile.attributes = ProgramAttributes.counting(attributes)
        return profile
    }
}

extension ConversationDetails {
    /// The details as they count.
    var counting: ConversationDetails {
        ConversationDetails(
            creatorID: creatorID, ownerID: ownerID, friendlyName: friendlyName,
            attributes: ProgramAttributes.counting(attributes), givesHistory: givesHistory, isClosed: isClosed)
    }
}
