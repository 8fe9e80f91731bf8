import Earshot

extension Access {
    /// What of the events somebody is told.
    enum Hearing: Hashable, Sendable {
        case everything
        /// Drafts are told to the program that has inserted them, and to who may do everything.
        case allButDrafts(exceptOf: String)
        /// No other events; and what became of a draft, without the message.
        case drafts(of: String)

        /// - Parameter author: who inserted the draft that the event is about, if it is about one.
        func includes(_ name: EventName, draftedBy author: String?) -> Bool {
            switch self {
            case .everything: true
            case .allButDrafts(let own): !name.isOfDraft || author == own
            case .drafts(let own): name.isOfDraft && author == own || name == .eventsLost
            }
        }

        /// Whether they are told all of an event, and not only what `ToldWithoutReading` leaves of it.
        var isWhole: Bool { if case .drafts = self { false } else { true } }
    }
}
