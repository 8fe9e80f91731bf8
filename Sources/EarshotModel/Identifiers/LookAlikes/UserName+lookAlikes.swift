extension UserName {
    /// What people see of the name: two names with the same skeleton look alike. Never show it, and never keep it: it may
    /// differ in the next version.
    ///
    /// After UTS 39, section 4 (`confusables.txt`), with case folded: `bob`, `Bob`, `B0B` and `b\u{43e}b` have one.
    /// Accents count: `Jose` is not `José`.
    package var skeleton: String { Skeleton.of(text) }

    /// Whether the name by itself is built to deceive: a word of it mixes scripts that nobody writes together (Latin with
    /// Cyrillic or Greek, say), a word in another script beside Latin ones looks wholly Latin, it has fullwidth,
    /// mathematical or circled letters, or an invisible scalar where it does nothing.
    ///
    /// After UTS 39, section 5.2, "highly restrictive", but word by word: `Дмитрий Smith` is an honest name.
    public var isDeceptive: Bool { WordMix.isDeceptive(text) }

    /// How the name is shown to people who know `others`: as it is, unless it is deceptive by itself or looks like
    /// another one; then what deceives in it is escaped, as `b\u{43e}b`.
    ///
    /// Names in ASCII are always shown as they are: say beside them what `lookAlikes(among:)` gives. For a whole list make
    /// one `LookAlikes`: this reads all of `others` each time.
    public func displayed(among others: some Collection<UserName>) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : LookAlikes(others).displayed(self)
    }

    /// The names that look like this one and are not it, each once, in the order of `others`.
    public func lookAlikes(among others: some Collection<UserName>) -> [UserName] {
        let skeleton = skeleton
        var found: Set<UserName> = [self]
        return others.filter { $0.skeleton == skeleton && found.insert($0).inserted }
    }
}
