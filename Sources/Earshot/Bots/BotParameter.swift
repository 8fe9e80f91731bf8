/// What stands behind a command of a bot: a name, which the help shows in capitals, and what may be written there.
public struct BotParameter: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case text
        case word
        case integer
        case duration
        case user
    }

    /// The name by which a handler reads it.
    public let name: String
    let kind: Kind

    /// The rest of the message, with its spaces and line breaks. It must be the last parameter.
    public static func text(_ name: String) -> BotParameter { BotParameter(name: name, kind: .text) }
    /// One word.
    public static func word(_ name: String) -> BotParameter { BotParameter(name: name, kind: .word) }
    /// A whole number, which may be negative.
    public static func integer(_ name: String) -> BotParameter { BotParameter(name: name, kind: .integer) }
    /// A span of time, like `90s`, `1.5h` or `1d12h`, or a number of seconds; no more than a hundred years, and not none.
    public static func duration(_ name: String) -> BotParameter { BotParameter(name: name, kind: .duration) }
    /// A user whom the node knows: a name, a name and the beginning of the fingerprint, or a key.
    public static func user(_ name: String) -> BotParameter { BotParameter(name: name, kind: .user) }

    /// As usage lines show it.
    var shown: String { name.uppercased() }

    /// What it takes, for somebody who wrote something else.
    var expected: String {
        switch kind {
        case .text: "a text"
        case .word: "a word"
        case .integer: "a whole number"
        case .duration: "a time like 90s, 15m, 2h or 3d"
        case .user: "a user's name or key"
        }
    }

    /// - Returns: `nil` for a word that is none of its kind.
    func value(_ text: Substring) -> BotValue? {
        let text = String(text)
        return switch kind {
        case .text, .word, .user: BotValue(text: text, meaning: .text)
        case .integer: Int(text).map { BotValue(text: text, meaning: .integer($0)) }
        case .duration: Self.duration(text).map { BotValue(text: text, meaning: .duration($0)) }
        }
    }

    private static func duration(_ text: String) -> Duration? {
        do throws(DurationText.Fault) {
            let duration = try DurationText.duration(text)
            return duration > .zero ? duration : nil
        } catch { return nil }
    }
}

/// What somebody wrote for a parameter.
struct BotValue: Hashable, Sendable {
    enum Meaning: Hashable, Sendable {
        case text
        case integer(Int)
        case duration(Duration)
    }

    /// As it was written.
    let text: String
    let meaning: Meaning
}

/// Who may use a command of a bot. Keys decide, not names.
public enum BotAudience: Hashable, Sendable {
    case everyone
    /// Users with whom this node's user has compared safety numbers.
    case verified
    case only(Set<UserID>)

    func admits(_ sender: BotSender) -> Bool {
        switch self {
        case .everyone: true
        case .verified: sender.isVerified
        case .only(let userIDs): userIDs.contains(sender.userID)
        }
    }
}

/// What decides what somebody may ask of a bot.
struct BotSender: Hashable, Sendable {
    let userID: UserID
    let isVerified: Bool
}
