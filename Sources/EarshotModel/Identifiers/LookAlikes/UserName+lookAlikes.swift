extension UserName {
    /// The looks of the name: two names with the same skeleton look alike. Never show or store a skeleton: it may
    /// differ in the next version.
    ///
    /// After UTS 39, section 4 (`confusables.txt`), with case folded: `bob`, `Bob`, `B0B` and `b\u{43e}b` have the same
    /// skeleton. Accents count: `Jose` is not `José`.
    package var skeleton: String { Skeleton.of(text) }

    /// Whether the name by itself is made to deceive. It is if a word mixes scripts that nobody writes together (Latin
    /// with Cyrillic or Greek, say), if a word in another script beside Latin words looks wholly Latin, or if the name
    /// has fullwidth, mathematical or circled letters, or an invisible scalar that does nothing there.
    ///
    /// After UTS 39, section 5.2, "highly restrictive", but word by word: `Дмитрий Smith` is an honest name.
    public var isDeceptive: Bool { WordMix.isDeceptive(text) }

    /// How to show the name to people who know `others`: unchanged, unless it is deceptive by itself or looks like
    /// another name. Then the deceptive scalars are escaped, as in `b\u{43e}b`.
    ///
    /// Names in ASCII are always shown unchanged; show the names of `lookAlikes(among:)` beside them. For a whole list
    /// make one `LookAlikes`, because this function reads all of `others` each time.
    public func displayed(among others: some Collection<UserName>) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : LookAlikes(others).displayed(self)
    }

    /// The other names that look like this one, each once, in the order of `others`.
    public func lookAlikes(among others: some Collection<UserName>) -> [UserName] {
        let skeleton = skeleton
        var found: Set<UserName> = [self]
        return others.filter { $0.skeleton == skeleton && found.insert($0).inserted }
    }
}
