/// What a user says of themselves to those they write to.
///
/// It is a label. The key stays the person, and the name stays what users are found by: a profile may say anything, and
/// two users may say the same.
public struct Profile: Hashable, Sendable {
    /// What a face may show beside the name; empty if there is none. At most `Limits.friendlyNameBytes`.
    public var friendlyName: String
    /// A JSON object for programs, as text; empty for none. At most `Limits.attributesBytes`.
    public var attributes: String
    /// A picture, as a file's bytes; empty for none. At most `Limits.pictureBytes`.
    public var picture: [UInt8]
    /// What a bot can do; `nil` for a person.
    public var bot: BotProfile?

    public init(friendlyName: String = "", attributes: String = "", picture: [UInt8] = [], bot: BotProfile? = nil) {
        self.friendlyName = friendlyName
        self.attributes = attributes
        self.picture = picture
        self.bot = bot
    }

    /// The size of all of it, in bytes.
    package var byteCount: Int {
        let commands = bot?.commands.reduce(0) { $0 + $1.byteCount } ?? 0
        return friendlyName.utf8.count + attributes.utf8.count + picture.count + commands
    }

    /// The first limit that it is over; `nil` if it is over none.
    package var excess: (field: Field, limit: Int)? {
        if friendlyName.utf8.count > Limits.friendlyNameBytes { return (.friendlyName, Limits.friendlyNameBytes) }
        if attributes.utf8.count > Limits.attributesBytes { return (.attributes, Limits.attributesBytes) }
        if picture.count > Limits.pictureBytes { return (.picture, Limits.pictureBytes) }
        if let bot, bot.commands.count > Limits.profileCommands { return (.commands, Limits.profileCommands) }
        if let bot, bot.commands.contains(where: { $0.byteCount > Limits.profileCommandBytes }) {
            return (.commands, Limits.profileCommandBytes)
        }
        return nil
    }

    /// The parts of a profile.
    package enum Field: String, Hashable, Sendable {
        case friendlyName, attributes, picture, commands
    }
}

/// The mark of a bot, and its commands.
public struct BotProfile: Hashable, Sendable {
    /// At most `Limits.profileCommands`.
    public var commands: [Command]

    public init(commands: [Command] = []) { self.commands = commands }

    /// A command that people may type, so that a face can complete it.
    public struct Command: Hashable, Sendable {
        /// Without the slash.
        public let name: String
        /// What it does, in a sentence.
        public let summary: String
        /// How it is typed: `/remind IN WHAT`.
        public let usage: String

        public init(name: String, summary: String, usage: String) {
            self.name = name
            self.summary = summary
            self.usage = usage
        }

        package var byteCount: Int { name.utf8.count + summary.utf8.count + usage.utf8.count }
    }
}

/// Which of several profiles of a user counts: the one with the highest stamp.
///
/// A device takes a higher counter than any that it knows, and no lower one than the milliseconds since 1970, so that it
/// goes on above what an older copy of its database has forgotten. The rest decides between devices that did not know of
/// each other.
package struct ProfileStamp: Hashable, Sendable, Comparable {
    package let counter: UInt64
    package let timestamp: HybridTimestamp
    package let logID: LogID

    package init(counter: UInt64, timestamp: HybridTimestamp, logID: LogID) {
        self.counter = counter
        self.timestamp = timestamp
        self.logID = logID
    }

    package static func < (a: ProfileStamp, b: ProfileStamp) -> Bool {
        (a.counter, a.timestamp.rawValue, a.logID) < (b.counter, b.timestamp.rawValue, b.logID)
    }
}
