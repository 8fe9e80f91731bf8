import EarshotModel

/// A part of a file that is asked for, proved and written as one.
package enum FilePart: Hashable, Sendable {
    /// The hashes of all lists.
    case lists
    /// The hashes of the chunks of one list.
    case hashes(ofList: Int)
    case chunk(Int)
}

/// The sender wants parts of a file of a conversation.
struct WantedFile: Hashable, Sendable {
    enum Parts: Hashable, Sendable {
        case lists
        case hashes(ofLists: Range<Int>)
        case chunks(Range<Int>)
    }

    let fileID: FileID
    let shape: FileShape
    let conversationID: ConversationID
    let parts: Parts
}

/// Hashes of a file, one after the other.
struct FileHashes: Hashable, Sendable {
    let fileID: FileID
    /// The list whose chunks they are of; `nil` for those of all lists.
    let list: Int?
    let hashes: [UInt8]
}

struct FileChunk: Hashable, Sendable {
    let fileID: FileID
    let index: Int
    let content: [UInt8]
}

/// What the sender has of a file of a conversation.
struct FileNews: Hashable, Sendable {
    enum State: UInt32, Sendable {
        /// All of it.
        case held = 1
        /// Nothing that it gives.
        case absent = 2
        /// It wants no more of it.
        case unwanted = 3
    }

    let fileID: FileID
    let conversationID: ConversationID
    let state: State
}

extension WantedFile {
    /// - Throws: `ProtocolError` `malformed` for what no file of that size has; `violation` for more than one frame may ask for.
    init(_ wire: Wire.WantedFile) throws(ProtocolError) {
        guard let fileID = FileID(bytes: wire.fileID), let conversationID = ConversationID(bytes: wire.conversationID)
        else { throw ProtocolError(.malformed, "a file or its conversation has the wrong length") }
        guard let shape = FileShape(byteCount: wire.byteCount) else {
            throw ProtocolError(.violation, "the peer wants a file of more than \(Limits.fileBytes) bytes")
        }
        let parts: Parts
        switch wire.part {
        case 0: parts = .lists
        case 1: parts = .hashes(ofLists: try Self.range(wire, of: shape.listCount, limit: Limits.listsPerQuestion))
        case 2: parts = .chunks(try Self.range(wire, of: shape.chunkCount, limit: Limits.chunksPerQuestion))
        default: throw ProtocolError(.malformed, "a file has no parts of kind \(wire.part)")
        }
        self.init(fileID: fileID, shape: shape, conversationID: conversationID, parts: parts)
    }

    private static func range(
        _ wire: Wire.WantedFile, of count: Int, limit: Int
    ) throws(ProtocolError) -> Range<Int> {
        guard wire.count > 0, wire.first < UInt64(count), wire.count <= UInt64(count) - wire.first else {
            throw ProtocolError(.malformed, "the peer wants parts that the file does not have")
        }
        guard wire.count <= UInt64(limit) else {
            throw ProtocolError(.violation, "the peer wants more than \(limit) parts of a file at once")
        }
        return Int(wire.first)..<Int(wire.first + wire.count)
    }

    var wire: Wire.WantedFile {
        let (part, range): (UInt32, Range<Int>) =
            switch parts {
            case .lists: (0, 0..<0)
            case .hashes(let lists): (1, lists)
            case .chunks(let chunks): (2, chunks)
            }
        return Wire.WantedFile(
            fileID: Wire.bytes(fileID), byteCount: shape.byteCount, conversationID: Wire.bytes(conversationID),
            part: part, first: UInt64(range.lowerBound), count: UInt64(range.count))
    }
}

extension FileHashes {
    init(_ wire: Wire.FileHashes) throws(ProtocolError) {
        guard let fileID = FileID(bytes: wire.fileID), wire.part <= 1, wire.hashes.count.isMultiple(of: Bytes32.count)
        else { throw ProtocolError(.malformed, "hashes of a file have the wrong length, or are of no part") }
        // No file has a list beyond these: it was not asked for, and is skipped as such.
        self.init(fileID: fileID, list: wire.part == 0 ? nil : Int(clamping: wire.list), hashes: wire.hashes)
    }

    var wire: Wire.FileHashes {
        Wire.FileHashes(
            fileID: Wire.bytes(fileID), part: list == nil ? 0 : 1, list: UInt64(list ?? 0), hashes: hashes)
    }

    var part: FilePart { list.map { .hashes(ofList: $0) } ?? .lists }
}

extension FileChunk {
    init(_ wire: Wire.FileChunk) throws(ProtocolError) {
        guard let fileID = FileID(bytes: wire.fileID) else {
            throw ProtocolError(.malformed, "a part of a file is of no file")
        }
        guard wire.content.count <= Limits.chunkBytes else {
            throw ProtocolError(.violation, "a part of a file has more than \(Limits.chunkBytes) bytes")
        }
        // No file has a chunk beyond these: it was not asked for, and is skipped as such.
        self.init(fileID: fileID, index: Int(clamping: wire.index), content: wire.content)
    }

    var wire: Wire.FileChunk {
        Wire.FileChunk(fileID: Wire.bytes(fileID), index: UInt64(index), content: content)
    }
}

extension FileNews {
    /// - Returns: `nil` for a state that this version does not know.
    init?(_ wire: Wire.FileNews) throws(ProtocolError) {
        guard let fileID = FileID(bytes: wire.fileID), let conversationID = ConversationID(bytes: wire.conversationID)
        else { throw ProtocolError(.malformed, "a file or its conversation has the wrong length") }
        guard let state = State(rawValue: wire.state) else { return nil }
        self.init(fileID: fileID, conversationID: conversationID, state: state)
    }

    var wire: Wire.FileNews {
        Wire.FileNews(
            fileID: Wire.bytes(fileID), conversationID: Wire.bytes(conversationID), state: state.rawValue)
    }
}
