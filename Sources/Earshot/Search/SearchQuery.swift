import EarshotModel
import EarshotStore
public import Foundation

/// What messages are searched for.
public struct SearchQuery: Sendable, Hashable {
    /// The words that a message holds, in any order: `lunch friday`. Words in quotation marks stand next to each other:
    /// `"see you"`. A star ends the beginning of a word: `depl*`. Letters' case and accents do not matter. At most
    /// `Limits.searchBytes` of UTF-8 and `Limits.searchPhrases` words or quoted parts.
    public var words: String
    /// Where: in this conversation; `nil` for all.
    public var conversationID: ConversationID?
    /// Who: written by this user; `nil` for everybody.
    public var senderID: UserID?
    /// When: written at this time or later, by the author's clock.
    public var since: Date?
    /// When: written before this time, by the author's clock.
    public var until: Date?

    public init(
        _ words: String, in conversationID: ConversationID? = nil, from senderID: UserID? = nil, since: Date? = nil,
        until: Date? = nil
    ) {
        self.words = words
        self.conversationID = conversationID
        self.senderID = senderID
        self.since = since
        self.until = until
    }
}

extension SearchCriteria {
    /// - Throws: `EarshotError` `invalidSearch`.
    init(_ query: SearchQuery) throws(EarshotError) {
        guard query.words.utf8.count <= Limits.searchBytes else {
            throw EarshotError(
                .invalidSearch, "what is searched for has at most \(Limits.searchBytes) bytes of UTF-8",
                .init(limit: Limits.searchBytes))
        }
        let phrases = SearchPhrase.phrases(in: query.words)
        guard !phrases.isEmpty else {
            throw EarshotError(.invalidSearch, "what is searched for has no letter and no digit")
        }
        guard phrases.count <= Limits.searchPhrases else {
            throw EarshotError(
                .invalidSearch, "what is searched for has at most \(Limits.searchPhrases) words or quoted parts",
                .init(limit: Limits.searchPhrases))
        }
        self.init(
            phrases, in: query.conversationID, by: query.senderID,
            since: query.since.map { HybridTimestamp(milliseconds: $0.clampedMilliseconds) },
            until: query.until.map { HybridTimestamp(milliseconds: $0.clampedMilliseconds) })
    }
}
