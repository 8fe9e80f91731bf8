package import EarshotModel

/// A profile as an entry says it: the whole of it, and how often its user's devices had changed it by then.
package struct ProfileEntry: Hashable, Sendable {
    package let profile: Profile
    package let counter: UInt64

    package init(_ profile: Profile, counter: UInt64) {
        self.profile = profile
        self.counter = counter
    }

    /// - Throws: `ProtocolError` `violation` for a profile over a limit.
    init(_ wire: Wire.Profile) throws(ProtocolError) {
        let bot = wire.bot.map { bot in
            BotProfile(
                commands: bot.commands.map {
                    BotProfile.Command(name: $0.name, summary: $0.summary, usage: $0.usage)
                })
        }
        self.init(
            Profile(
                friendlyName: wire.friendlyName, attributes: wire.attributes, picture: wire.picture, bot: bot),
            counter: try Wire.number(wire.counter, as: "the counter of a profile"))
        guard let excess = profile.excess else { return }
        throw ProtocolError(.violation, "the part \(excess.field.rawValue) of a profile goes past \(excess.limit)")
    }

    var wire: Wire.Profile {
        var wire = Wire.Profile()
        wire.friendlyName = profile.friendlyName
        wire.attributes = profile.attributes
        wire.picture = profile.picture
        wire.counter = counter
        wire.bot = profile.bot.map { bot in
            Wire.Bot(
                commands: bot.commands.map { Wire.BotCommand(name: $0.name, summary: $0.summary, usage: $0.usage) })
        }
        return wire
    }

    /// Where it stands among the profiles of its user.
    package func stamp(at timestamp: HybridTimestamp, in logID: LogID) -> ProfileStamp {
        ProfileStamp(counter: counter, timestamp: timestamp, logID: logID)
    }
}
