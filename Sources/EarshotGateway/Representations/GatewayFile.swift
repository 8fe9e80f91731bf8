import Earshot

/// A file that a message brings along.
package struct GatewayAttachment: Codable, Hashable, Sendable {
    package let fileID: String
    /// What its author calls it.
    package let name: String
    /// What it is, as its author says: nobody has checked that.
    package let mediaType: String
    package let byteCount: UInt64

    init(_ attachment: Attachment) {
        (fileID, name) = (attachment.fileID.description, attachment.name)
        (mediaType, byteCount) = (attachment.mediaType, attachment.byteCount)
    }

    /// The same as the node knows it; `nil` for what no message brings along.
    var attachment: Attachment? {
        guard let fileID = FileID(fileID) else { return nil }
        return try? Attachment(fileID: fileID, name: name, mediaType: mediaType, byteCount: byteCount)
    }
}

/// What a node has of a file.
package struct GatewayFile: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    /// `waiting`, `fetching`, `held`, `declined` or `failed`.
    package let state: String
    package let byteCount: UInt64
    /// Of a file that is fetched: how much of it is here.
    package let receivedBytes: UInt64?
    /// Of one that cannot be kept: why.
    package let reason: String?
    /// Where a rule has put a copy, if this is about that.
    package let savedPath: String?
    /// Why a rule's copy could not be put there, if this is about that.
    package let saveFailure: String?

    init(_ update: FileUpdate) {
        (id, byteCount) = (update.fileID.description, update.byteCount)
        (state, receivedBytes, reason) = update.state.represented
        (savedPath, saveFailure) =
            switch update.copy {
            case .saved(let path): (path, nil)
            case .failed(let reason): (nil, reason)
            case nil: (nil, nil)
            }
    }
}

extension FileState {
    fileprivate var represented: (state: String, receivedBytes: UInt64?, reason: String?) {
        switch self {
        case .waiting: ("waiting", nil, nil)
        case .fetching(let receivedBytes): ("fetching", receivedBytes, nil)
        case .held: ("held", nil, nil)
        case .declined: ("declined", nil, nil)
        case .failed(let reason): ("failed", nil, reason)
        }
    }
}

/// The files that messages bring along, those of the last messages first, and how much room those take that are here.
package struct GatewayFileList: Codable, Sendable {
    package let files: [GatewaySharedFile]
    package let heldCount: Int
    package let heldBytes: UInt64
    package let quotaBytes: UInt64?
    /// What the disk has left for the node.
    package let freeBytes: UInt64

    init(_ files: [GatewaySharedFile], _ usage: FileUsage) {
        (self.files, heldCount, heldBytes) = (files, usage.fileCount, usage.byteCount)
        (quotaBytes, freeBytes) = (usage.quotaBytes, usage.freeBytes)
    }
}

/// A file that a message brings along, and what the node has of it.
package struct GatewaySharedFile: Codable, Hashable, Sendable {
    package let fileID: String
    package let name: String
    package let mediaType: String
    package let byteCount: UInt64
    package let messageID: String
    package let conversationID: String
    package let sender: GatewayParty
    package let state: String
    package let receivedBytes: UInt64?
    package let reason: String?
    /// Copies that rules owe to folders; left out without one.
    package let owedCopies: [GatewayOwedCopy]?

    init(_ file: SharedFile, _ names: PartyNames) {
        (fileID, name) = (file.attachment.fileID.description, file.attachment.name)
        (mediaType, byteCount) = (file.attachment.mediaType, file.attachment.byteCount)
        (messageID, conversationID) = (file.messageID.description, file.conversationID.description)
        sender = names.party(file.senderID)
        (state, receivedBytes, reason) = file.state.represented
        owedCopies = file.owedCopies.isEmpty ? nil : file.owedCopies.map(GatewayOwedCopy.init)
    }
}

/// A copy of a file that is not in the folder of its rule yet.
package struct GatewayOwedCopy: Codable, Hashable, Sendable {
    package let folder: String
    /// Why the folder did not take it; left out if that was not tried yet.
    package let reason: String?

    init(_ copy: OwedCopy) { (folder, reason) = (copy.folder, copy.reason) }
}

/// Which files the node fetches by itself, and how much room all may take.
package struct GatewayFileRules: Codable, Hashable, Sendable {
    package let rules: [GatewayFileRule]
    package let quotaBytes: UInt64?

    init(_ rules: FileRules, _ names: PartyNames) {
        (self.rules, quotaBytes) = (rules.rules.map { GatewayFileRule($0, names) }, rules.quotaBytes)
    }
}

/// What is done with files of some kind.
package struct GatewayFileRule: Codable, Hashable, Sendable {
    /// `fetch`, `ask` or `refuse`.
    package let decision: String
    package let sender: GatewayParty?
    package let mediaType: String?
    package let largest: UInt64?
    /// Of `fetch`: where a copy goes.
    package let folder: String?
    /// Why copies cannot be put there now; left out if they can.
    package let folderProblem: String?

    init(_ rule: FileRule, _ names: PartyNames) {
        (decision, folder) =
            switch rule.decision {
            case .fetch(let folder): ("fetch", folder)
            case .ask: ("ask", nil)
            case .refuse: ("refuse", nil)
            }
        folderProblem = rule.folderProblem
        (sender, mediaType, largest) = (rule.sender.map { names.party($0) }, rule.mediaType, rule.largest)
    }
}
