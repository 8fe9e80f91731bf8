import EarshotModel

/// When the next of those who wait for room is dialled though there is none, and what kind of peer it is.
///
/// So everybody is met once, and what all hold of a conversation becomes the same in the end, whoever is linked with whom.
struct Roaming: Sendable {
    /// An uptime; `.max` while nobody waits.
    private(set) var due = Int64.max
    private var turn = 0

    var isOn: Bool { due != .max }

    mutating func stop() { due = .max }

    /// Somebody waits: the one who is to be dialled now, if it is time.
    /// - Parameter first: the one of a kind that has waited longest: whether it was linked before, and whether it is
    ///   advertised.
    mutating func next<Candidate>(
        now: Int64, first: (_ isMet: Bool, _ isAdvertised: Bool) -> Candidate?
    ) -> Candidate? {
        guard due <= now else {
            if !isOn { due = now + Timing.roaming }
            return nil
        }
        turn += 1
        // Those never met and the others take turns: being advertised costs nothing, so there may be any number of the first.
        let isMetFirst = turn.isMultiple(of: 2)
        let isAnybodyNew = first(false, true) != nil
        due = now + (isAnybodyNew ? Timing.roamingToNew : Timing.roaming)
        return first(isMetFirst, true) ?? first(!isMetFirst, true) ?? first(true, false) ?? first(false, false)
    }
}
