package import EarshotModel

/// One item that two linked peers send each other.
enum Frame: Hashable, Sendable {
    case heads(HeadsFrame)
    case entries(EntriesFrame)
    case receipts([Receipt])
    case ping
    case pong
    /// The next Noise message from this sender is encrypted with the next key.
    case rekey
    case close(CloseReason?)
    /// Asks whether this port can be reached at the sender's end of the link.
    case dialBack(port: UInt16, nonce: UInt64)
    case dialBackResult(nonce: UInt64, isReachable: Bool)
    case wanted(WantedFrame)
    /// None of the places that the receiver named is in the branch that it wants.
    case unplaced(LogDescription)
    /// The sender has on its disk what it was sent of another's log, up to here.
    case taken(LogID, through: Place)
    /// The sender's user types, or has stopped.
    case typing(ConversationID, isTyping: Bool)
    /// Receipts of other devices than the sender's, with their credentials.
    case carried([Receipt], [FrameCredential])
    /// Which conversations the sender has in common with the receiver, and what it holds of them.
    case digests([ConversationDigest])
    case wantedBodies(WantedBodiesFrame)
    case bodies(BodiesFrame)
    /// A primary device renews the credential of the receiver.
    case grant(CredentialGrant)
    case revocations([Revocation])
    /// What the user of both ends calls their devices.
    case deviceNames([DeviceID: DeviceName])
    /// Who the users are that the user of both ends writes to. What they prove is looked at by whoever takes them.
    case contacts([Wire.Credential])
    case wantedFile(WantedFile)
    case fileHashes(FileHashes)
    case fileChunk(FileChunk)
    case fileNews(FileNews)
}

/// A place in a log: the number of an entry, and the chain hash there.
package struct Place: Hashable, Sendable {
    package let sequence: UInt64
    package let chain: ChainHash
}

/// The end of a log, or of one branch of it, as somebody holds it.
package struct BranchHead: Hashable, Sendable {
    package let log: LogDescription
    package let place: Place
}

/// What the sender holds of one conversation.
struct HeadsFrame: Hashable, Sendable {
    /// `nil` in a frame that only ends a series.
    let conversationID: ConversationID?
    let heads: [BranchHead]
    /// Whether the sender has now said all that it holds.
    let isComplete: Bool
    /// Whether the sender wants to know the same of the receiver.
    var asks = false
}

/// What the sender holds of one conversation, as a hash.
struct ConversationDigest: Hashable, Sendable {
    let conversationID: ConversationID
    let heads: HeadsHash
    /// Empty if the receiver is not told.
    var uniqueName = ""
    /// The other user of a direct conversation, which only another device of the sender's user is told.
    var peerID: UserID?
    /// Whether it is a private conversation to which the receiver's user belongs, or has belonged.
    var isPrivate = false
    /// How far its messages have come, as a hash, which only another device of the sender's user is told.
    var progress: ProgressHash?
    /// Whether the sender's user has joined that private conversation, as far as the sender knows.
    var hasJoined = false
    /// Whether the id only stands for that of an open conversation, as in `ConversationID.hidden`.
    var isHidden = false
}

/// The sender wants the entries of a branch.
struct WantedFrame: Hashable, Sendable {
    let log: LogDescription
    /// The end of the branch.
    let end: Place
    /// Places that the sender holds. It wants what follows the last one of these that is in the branch.
    let known: [Place]
}

/// The sender wants the bodies of entries that it holds without them.
struct WantedBodiesFrame: Hashable, Sendable {
    let log: LogDescription
    let first: Place
    /// The number of the last of them, at least that of the first.
    let last: UInt64
    /// Whether also those are wanted that the receiver gives to nobody but devices of its own user.
    var withWithheld = false
}

/// Entries as the sender holds them, from a place on that the receiver named.
struct BodiesFrame: Hashable, Sendable {
    let logID: LogID
    let first: Place
    let contents: [EntryContent]
    /// The author's marks of entries whose content it withholds.
    let marks: [UInt64: Signature]
    /// Why messages have failed that are given to another device of their author's user alone.
    var failures: [UInt64: FailureReason] = [:]
}

extension Frame {
    /// A series of frames that says what the sender holds of a conversation. Where that is nothing, one frame says so.
    static func heads(of conversationID: ConversationID, _ heads: [BranchHead], asks: Bool = false) -> [Frame] {
        var frames: [Frame] = []
        var rest = heads[...]
        repeat {
            let part = rest.prefix(Limits.logsPerHeads)
            rest = rest.dropFirst(part.count)
            frames.append(
                .heads(
                    HeadsFrame(
                        conversationID: conversationID, heads: Array(part), isComplete: rest.isEmpty,
                        asks: asks && rest.isEmpty)))
        } while !rest.isEmpty
        return frames
    }

    static func digests(_ digests: [ConversationDigest]) -> [Frame] {
        stride(from: 0, to: digests.count, by: Limits.digestsPerFrame).map {
            .digests(Array(digests[$0...].prefix(Limits.digestsPerFrame)))
        }
    }

    /// Frames with any number of receipts.
    static func frames(of receipts: [Receipt]) -> [Frame] {
        var frames: [Frame] = []
        var rest = receipts[...]
        while !rest.isEmpty {
            frames.append(.receipts(Array(rest.prefix(Limits.receiptsPerFrame))))
            rest = rest.dropFirst(Limits.receiptsPerFrame)
        }
        return frames
    }
}

/// A run of entries of one log, proved by a signature over its last entry.
struct EntriesFrame: Hashable, Sendable {
    let log: LogDescription
    let firstSequence: UInt64
    /// The chain hash before the first of them.
    let previousChain: ChainHash
    let contents: [EntryContent]
    let checkpoint: Signature
    /// The author's marks of entries whose content it withholds.
    var marks: [UInt64: Signature] = [:]
    /// The credential of the author's device, where that is not the sender.
    var credential: FrameCredential?
    /// Users who belong to the conversation and have no link to the sender.
    var unreached: [UserID] = []
    /// Entries whose content the sender had and has deleted, with the timestamps that they had. It counts only for
    /// entries that are given back to their author.
    var deleted: [UInt64: HybridTimestamp] = [:]
}
