/// A named reader of the inbox, as the store holds it.
package struct ConsumerRecord: Hashable, Sendable {
    /// What its program calls it; for one of a token, the token's name and a slash stand before that (`name(_:of:)`).
    package let name: String
    /// Everything up to here is acknowledged or set aside: a place in the order of arrival.
    package var cursor: Int64
    /// In milliseconds since 1970.
    package let createdAt: Int64
    /// The name of the token with which it was made, whose programs use it; `nil` for the owner's.
    package let token: String?
    /// Whether programs with the scope `all` go on with it, too: it was made when theirs were not told from the owner's.
    package var isShared = false
    /// Of one that is to be made: whether its program may do everything, and so may have as many as the owner. Not stored.
    package var isOfMany = false
    package var acknowledgedAt: Int64?
    /// The first entry of the last hand-out that was in vain, and how many in a row were.
    package var head: Int64?
    package var fruitless = 0
    /// The last failure that it reported, or for which a message was set aside.
    package var failure: ConsumerFailure?
    /// Entries that were set aside and are to be handed out once more, ascending. None is ahead of the cursor.
    package var again: [Int64] = []
    /// Entries that are set aside, without those, at most `Limits.setAside`: the oldest give way. None is ahead of the cursor,
    /// either.
    package var setAside: Set<Int64> = []

    package init(name: String, cursor: Int64, createdAt: Int64, token: String? = nil) {
        self.name = name
        self.cursor = cursor
        self.createdAt = createdAt
        self.token = token
    }

    /// The name of a consumer among those of all programs.
    /// - Parameters:
    ///   - plainName: what its program calls it. It has no slash, and neither has the name of a token.
    ///   - token: the token's name; `nil` for one of the owner's.
    package static func name(_ plainName: String, of token: String?) -> String {
        token.map { "\($0)/\(plainName)" } ?? plainName
    }

    /// What its program calls it.
    package var plainName: String {
        let prefix = Self.name("", of: token)
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    /// Whether acknowledging up to here moves it on.
    package func isAhead(_ cursor: Int64) -> Bool { cursor > self.cursor || again.contains(cursor) }

    /// Whether an acknowledgement that is ahead deals with the message at a place.
    package func covers(_ place: Int64, acknowledging through: Int64) -> Bool {
        through > cursor ? cursor < place && place <= through : place == through
    }

    /// What a change makes of it.
    package mutating func apply(_ change: ConsumerChange) {
        switch change {
        case .make, .remove: break
        case .acknowledge(let through, let time):
            if through > cursor { cursor = through } else { again.removeAll { $0 == through } }
            acknowledgedAt = time
            (head, fruitless) = (nil, 0)
        case .move(let cursor):
            self.cursor = cursor
            // Those behind it come in their turn, and those before it are passed.
            again = []
            setAside = setAside.filter { $0 <= cursor }
            (head, fruitless) = (nil, 0)
        case .countFruitless(let head, let count, let failure):
            (self.head, fruitless) = (head, count)
            self.failure = failure ?? self.failure
        case .setAside(let entry, let failure):
            self.failure = failure
            again.removeAll { $0 == entry }
            cursor = max(cursor, entry)
            setAside.insert(entry)
            if setAside.count > Limits.setAside, let oldest = setAside.min() { setAside.remove(oldest) }
            (head, fruitless) = (nil, 0)
        case .handOutAgain(let entry):
            guard setAside.remove(entry) != nil else { return }
            again = (again + [entry]).sorted()
        }
    }
}

/// Why a consumer could do nothing with a message.
package struct ConsumerFailure: Hashable, Sendable {
    /// Not empty.
    package let reason: String
    /// In milliseconds since 1970.
    package let time: Int64

    package init(_ reason: String, time: Int64) {
        self.reason = reason
        self.time = time
    }
}

/// A change of one consumer.
package enum ConsumerChange: Hashable, Sendable {
    case make(ConsumerRecord)
    /// Everything up to here is done; or just this entry, if it was handed out once more.
    case acknowledge(through: Int64, time: Int64)
    case move(to: Int64)
    case remove
    /// The hand-out that begins with this entry was in vain, for so many times in a row. The failure is the consumer's own
    /// report, if it made one.
    case countFruitless(head: Int64, count: Int, ConsumerFailure? = nil)
    case setAside(Int64, ConsumerFailure)
    /// An entry that was set aside is to be handed out once more.
    case handOutAgain(Int64)
}
