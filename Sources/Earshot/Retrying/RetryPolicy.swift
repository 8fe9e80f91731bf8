/// What is done with an item that was not taken, of those that wait in line for somebody: a notification for its target, a message for
/// its bot.
///
/// What fails for good is not tried again: it is left out, and that is said. What may be taken later is tried again, a bounded number of
/// times. Meanwhile it does not hold up the others: after some attempts those behind it are tried, and if one of them is taken, the
/// item itself is at fault, and is left out.
package struct RetryPolicy: Sendable {
    /// After so many attempts an item is left out, whatever became of others.
    package let attempts: Int
    /// After so many attempts those behind it are tried. As many as `attempts` where their order may not change.
    package let patience: Int
    /// How many of those are tried while none is taken, until the next wait.
    package let probes: Int
    /// Between attempts.
    package let backOff: BackOff

    /// Ten attempts take at least eight and a half minutes; three take three seconds.
    package static let notifications = RetryPolicy(
        attempts: 10, patience: 3, probes: 8, backOff: BackOff(first: .seconds(1), longest: .seconds(300)))

    /// Of a bot, which gets messages in order. Five attempts take 7.5 s, in which all others wait.
    package static let messages = RetryPolicy(
        attempts: Inbox.defaultAttempts, patience: Inbox.defaultAttempts, probes: 0,
        backOff: BackOff(first: .milliseconds(500)))
}

/// The attempts at items that wait in line and were not taken.
struct Attempts<Item: Hashable & Comparable & Sendable>: Sendable {
    private struct Trial {
        var count = 0
        /// Whether another one was taken or refused since its first attempt: then it is no fault of who takes them.
        var othersWereAnswered = false
    }

    private let policy: RetryPolicy
    private var trials: [Item: Trial] = [:]

    init(_ policy: RetryPolicy) { self.policy = policy }

    /// How often it was tried in vain.
    func count(_ item: Item) -> Int { trials[item]?.count ?? 0 }

    /// Whether those behind it may be tried before it is tried again.
    func givesWay(_ item: Item) -> Bool {
        trials[item].map { $0.othersWereAnswered || $0.count >= policy.patience } ?? false
    }

    /// In which order items are tried: the first, which is the oldest, and then those that were tried least.
    func order<Element>(_ line: [Element], by item: (Element) -> Item) -> [Element] {
        let others = line.dropFirst().enumerated().sorted {
            (count(item($0.element)), $0.offset) < (count(item($1.element)), $1.offset)
        }
        return Array(line.prefix(1)) + others.map(\.element)
    }

    /// It was taken, or refused for good.
    /// - Returns: items that are at fault themselves, and are left out.
    mutating func answered(_ item: Item) -> [Item] {
        trials[item] = nil
        for other in trials.keys { trials[other]?.othersWereAnswered = true }
        let atFault = trials.filter { $0.value.count >= policy.patience }.keys.sorted()
        for item in atFault { trials[item] = nil }
        return atFault
    }

    /// It was not taken.
    /// - Returns: whether it is left out.
    mutating func failed(_ item: Item) -> Bool {
        var trial = trials[item] ?? Trial()
        trial.count += 1
        let isLeftOut = trial.count >= policy.attempts || trial.othersWereAnswered && trial.count >= policy.patience
        trials[item] = isLeftOut ? nil : trial
        return isLeftOut
    }

    /// It does not wait any more.
    mutating func forget(where isGone: (Item) -> Bool) { trials = trials.filter { !isGone($0.key) } }
}
