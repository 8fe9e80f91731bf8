import Earshot
import EarshotGateway

/// What has become of a conversation and its participants, for people.
enum ConversationWords {
    /// - Returns: `nil` for what nobody has to be told.
    static func change(_ update: GatewayConversationUpdate, as shown: String, _ names: NameBook) -> String? {
        let owner = update.owner.map { names.shown($0) } ?? "somebody"
        guard update.changes.contains(ConversationChange.status.rawValue) else {
            if update.changes.contains(ConversationChange.owner.rawValue) { return "\(owner) owns \(shown) now" }
            let isDeviceNew = update.changes.contains(ConversationChange.decidingDevice.rawValue)
            return isDeviceNew ? "another device of \(owner) decides who is in \(shown) now" : nil
        }
        switch Participant.Status(rawValue: update.status) {
        case .invited:
            let name = ShellWord.quote(update.uniqueName)
            return "\(owner) invites you to \(shown): earshot conversation accept \(name), or: "
                + "earshot conversation decline \(name)"
        case .removed: return "\(owner) has removed you from \(shown)"
        case .closed: return "\(owner) has closed \(shown)"
        case .joined, .left, nil: return "you have \(SafeText.line(update.status)) \(shown)"
        }
    }

    /// - Parameter status: as the local API says it.
    /// - Returns: what stands between the user and the conversation: `has joined`.
    static func change(of status: String) -> String {
        switch Participant.Status(rawValue: status) {
        case .invited: "is invited to"
        case .removed: "was removed from"
        case .joined, .left, .closed, nil: "has \(SafeText.line(status))"
        }
    }
}
