/// Which files a node fetches though nobody asked for them, where copies of them go, and how much room all files may take.
public struct FileRules: Hashable, Sendable {
    /// The first one that fits a file decides. Where none does, small files are fetched, unless a stranger has sent them.
    public var rules: [FileRule]
    /// How many bytes the files may have that are here or on their way; `nil` for as many as the disk takes.
    public var quotaBytes: UInt64?

    public init(_ rules: [FileRule] = [], quotaBytes: UInt64? = nil) {
        (self.rules, self.quotaBytes) = (rules, quotaBytes)
    }

    /// The largest file that may be fetched unasked.
    package func largestFetched(smallBytes: UInt64) -> UInt64 {
        rules.reduce(smallBytes) { largest, rule in
            guard case .fetch = rule.decision else { return largest }
            return max(largest, rule.largest ?? Limits.fileBytes)
        }
    }
}

/// Rules as the disk has them. Each is for files whose messages came since it was set, unless it was set for those that waited,
/// too: nobody who adds a rule asks for all that was ever sent to them.
package struct FileRulesInForce: Hashable, Sendable {
    package let rules: FileRules
    /// For each rule, where in the order of arrival the messages begin whose files it is for.
    private let starts: [Int64]

    package init(_ rules: FileRules, starts: [Int64]? = nil) {
        (self.rules, self.starts) = (rules, starts ?? rules.rules.map { _ in 0 })
    }

    /// - Parameters:
    ///   - isStranger: whether this node's user has never written to the sender.
    ///   - smallBytes: what counts as small.
    package func decision(on file: AttachedFile, isStranger: Bool, smallBytes: UInt64) -> FileRule.Decision {
        let fitting = zip(rules.rules, starts).first { rule, start in
            start <= file.arrival && rule.fits(file, isStranger: isStranger)
        }
        if let (rule, _) = fitting { return rule.decision }
        return !isStranger && file.byteCount <= smallBytes ? .fetch(folder: nil) : .ask
    }
}

/// What is done with files of some kind.
public struct FileRule: Hashable, Sendable {
    public enum Decision: Hashable, Sendable {
        /// They are fetched. With a folder, a copy of each is put there once it is here, and nothing there is overwritten.
        case fetch(folder: String?)
        /// They wait until somebody asks for them.
        case ask
        /// They are not fetched, as if somebody had declined each of them.
        case refuse
    }

    /// Whose files; `nil` for everybody's. To fetch those of a stranger, a rule names them.
    public var sender: UserID?
    /// What their senders say that they are: `image/png`, or `image/*`; `nil` for everything.
    public var mediaType: String?
    /// How large they are at most, in bytes; `nil` for any size.
    public var largest: UInt64?
    public var decision: Decision

    public init(_ decision: Decision, sender: UserID? = nil, mediaType: String? = nil, largest: UInt64? = nil) {
        (self.decision, self.sender, self.mediaType, self.largest) = (decision, sender, mediaType, largest)
    }

    package func fits(_ file: AttachedFile, isStranger: Bool) -> Bool {
        if case .fetch = decision, isStranger, sender == nil { return false }
        return sender ?? file.senderID == file.senderID && file.byteCount <= largest ?? .max
            && (mediaType.map { Self.fits(file.attachment.mediaType, $0) } ?? true)
    }

    private static func fits(_ mediaType: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("/*")
            ? mediaType.lowercased().hasPrefix(pattern.dropLast().lowercased())
            : mediaType.lowercased() == pattern.lowercased()
    }

    /// - Throws: `Invalid` for what no rule can say.
    package func check() throws(Invalid) {
        if let mediaType, !Self.isPattern(mediaType) { throw .mediaType }
        guard case .fetch(let folder?) = decision else { return }
        guard folder.hasPrefix("/"), folder.utf8.count <= Limits.folderBytes, !folder.contains("\0") else {
            throw .folder
        }
    }

    private static func isPattern(_ text: String) -> Bool {
        let type = text.hasSuffix("/*") ? text.dropLast() + "x" : text[...]
        return (try? Attachment.check(mediaType: String(type))) != nil
    }

    package enum Invalid: Error, CustomStringConvertible {
        case mediaType, folder

        package var description: String {
            switch self {
            case .mediaType: "a rule's type is one such as image/png, or image/* for all of that kind"
            case .folder: "a rule's folder begins with a slash, and has at most \(Limits.folderBytes) bytes"
            }
        }
    }
}

/// A file that a message brings along, and what the node has of it.
public struct SharedFile: Hashable, Sendable {
    public let attachment: Attachment
    public let messageID: MessageID
    public let conversationID: ConversationID
    public let senderID: UserID
    public let state: FileState
    /// Copies of it that rules owe to folders.
    public let owedCopies: [OwedCopy]

    package init(_ file: AttachedFile, _ state: FileState, owedCopies: [OwedCopy] = []) {
        (attachment, messageID, conversationID) = (file.attachment, file.messageID, file.conversationID)
        (senderID, self.state, self.owedCopies) = (file.senderID, state, owedCopies)
    }
}

/// How much room the files take.
public struct FileUsage: Hashable, Sendable {
    /// How many contents are here.
    public let fileCount: Int
    /// How many bytes they have, with what has come of others that are on their way.
    public let byteCount: UInt64
    /// What they may have: `FileRules.quotaBytes`.
    public let quotaBytes: UInt64?
    /// What the disk has left for the node.
    public let freeBytes: UInt64

    package init(fileCount: Int, byteCount: UInt64, quotaBytes: UInt64?, freeBytes: UInt64) {
        (self.fileCount, self.byteCount, self.quotaBytes) = (fileCount, byteCount, quotaBytes)
        self.freeBytes = freeBytes
    }
}
