/// A private conversation that is to be created.
public struct ConversationDraft: Hashable, Sendable {
    /// 1 to `Limits.nameBytes` of UTF-8, under the rules of `UserName`. Its creator has no other open one of that name.
    public var uniqueName: String
    /// What people call it: at most `Limits.friendlyNameBytes` of UTF-8.
    public var friendlyName: String
    /// A JSON object of at most `Limits.attributesBytes`, or nothing.
    public var attributes: String
    /// Whether who joins is given what was written before. It cannot be changed later.
    public var givesHistory: Bool
    /// The conversation that it continues.
    package var continues: ConversationID?
    /// Who is invited with the first entries.
    public var invited: [UserID]

    /// Makes a draft. Nothing is checked before it is used.
    public init(
        uniqueName: String, friendlyName: String = "", attributes: String = "", givesHistory: Bool = false,
        invited: [UserID] = []
    ) {
        self.uniqueName = uniqueName
        self.friendlyName = friendlyName
        self.attributes = attributes
        self.givesHistory = givesHistory
        self.invited = invited
    }
}
