import Earshot

/// Why a message failed, for people.
enum FailureWords {
    /// In a word or two.
    static func brief(_ reason: String?) -> String {
        switch reason.flatMap(FailureReason.init(rawValue:)) {
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .blocked: "blocked"
        case .identityChanged: "key changed"
        case .deviceReplaced: "left on the old device"
        case .removed: "you were removed"
        case nil: SafeText.line(reason ?? "failed")
        }
    }

    /// The code of the error of a command that waited for the message.
    static func code(_ reason: String?) -> EarshotError.Code {
        switch reason.flatMap(FailureReason.init(rawValue:)) {
        case .expired: .messageExpired
        case .blocked: .blocked
        case .identityChanged: .identityConflict
        case .cancelled, .deviceReplaced, .removed, nil: .messageFailed
        }
    }

    /// - Parameter name: the recipient, as shown.
    static func sentence(_ reason: String?, recipient name: String) -> String {
        switch reason.flatMap(FailureReason.init(rawValue:)) {
        case .expired: "\(name) was not reached before the message expired"
        case .cancelled: "it was taken back before it was sent"
        case .blocked: "\(name) was blocked before it was delivered"
        case .identityChanged: "the name was given to another key before the message was delivered"
        case .removed: "the owner of the conversation had removed you when it was written"
        case .deviceReplaced: "it waits on the device that this one has replaced, and only that one can deliver it"
        case nil: SafeText.line(reason ?? "no reason was given")
        }
    }
}
