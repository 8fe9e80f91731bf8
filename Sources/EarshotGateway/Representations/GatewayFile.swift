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

    init(_ update: FileUpdate) {
        (id, byteCount) = (update.fileID.description, update.byteCount)
        (state, receivedBytes, reason) =
            switch update.state {
            case .waiting: ("waiting", nil, nil)
            case .fetching(let receivedBytes): ("fetching", receivedBytes, nil)
            case .held: ("held", nil, nil)
            case .declined: ("declined", nil, nil)
            case .failed(let reason): ("failed", nil, reason)
            }
    }
}
