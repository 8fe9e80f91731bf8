import EarshotModel

/// The new places of entries that were written anew, by their old ones, so that replies and changes find their messages.
///
/// It forgets the oldest first: a reply or a change mostly follows its message soon.
struct MovedPlaces: Sendable {
    private var recent: [LogPlace: LogPlace] = [:]
    private var earlier: [LogPlace: LogPlace] = [:]

    subscript(old: LogPlace) -> LogPlace? { recent[old] ?? earlier[old] }

    mutating func add(_ old: LogPlace, _ new: LogPlace) {
        if recent.count >= Limits.movedPlaces / 2 { (earlier, recent) = (recent, [:]) }
        recent[old] = new
    }
}

extension EntryBody.Content {
    /// The same about entries that have moved.
    func referring(to moved: MovedPlaces) -> Self {
        switch self {
        case .text(var message):
            guard let place = message.replyTo, let new = moved[place] else { return self }
            message.replyTo = new
            return .text(message)
        case .amendment(let amendment):
            guard let new = moved[amendment.target] else { return self }
            return .amendment(Amendment(target: new, amendment.content))
        case .branches, .join, .leave, .version, .control, .profile, .decision, .cut, .erasure, .shown, .unknown:
            return self
        }
    }
}
