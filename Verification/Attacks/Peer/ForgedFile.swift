import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol

/// A file that an attacker brings along and gives, with its hashes.
struct ForgedFile: Sendable {
    let content: [UInt8]
    let fileID: FileID
    /// The hashes of its chunks, list by list, one after the other.
    let hashes: [[UInt8]]
    /// The hashes of its lists, one after the other.
    let lists: [UInt8]

    init(_ content: [UInt8]) {
        guard let shape = FileShape(byteCount: UInt64(content.count)) else { preconditionFailure("a file is small") }
        self.content = content
        hashes = (0..<shape.listCount).map { list in
            shape.chunks(ofList: list).flatMap { index in
                content[shape.bytes(ofChunk: index)].withUnsafeBytes { FileHash.chunk($0, at: index).bytes }
            }
        }
        lists = hashes.enumerated().flatMap { list, hashes in
            hashes.withUnsafeBytes { FileHash.list($0, at: list).bytes }
        }
        fileID = lists.withUnsafeBytes { FileHash.file($0, byteCount: shape.byteCount) }
    }

    private init(hashes: [UInt8], byteCount: UInt64) {
        content = []
        self.hashes = [hashes]
        lists = hashes.withUnsafeBytes { FileHash.list($0, at: 0).bytes }
        fileID = lists.withUnsafeBytes { FileHash.file($0, byteCount: byteCount) }
    }

    /// Hashes of a file that does not exist: its size costs nothing.
    /// - Parameter count: of chunks, at most those of one list.
    static func claim(chunks count: Int) -> ForgedFile {
        ForgedFile(
            hashes: (0..<count * Bytes32.count).map { _ in .random(in: .min ... .max) },
            byteCount: UInt64(count * FileShape.chunkBytes))
    }

    /// A file that nobody has.
    static func random(bytes count: Int) -> ForgedFile {
        // One draw for all: one a byte takes a debug build half a minute for some MiB.
        let word = UInt64.random(in: .min ... .max)
        var content = [UInt8](repeating: 0, count: count)
        content.withUnsafeMutableBytes { bytes in
            for index in 0..<count / 8 {
                bytes.storeBytes(of: word &+ UInt64(index), toByteOffset: 8 * index, as: UInt64.self)
            }
            for index in count & ~7..<count { bytes[index] = UInt8(truncatingIfNeeded: word) }
        }
        return ForgedFile(content)
    }

    func chunk(_ index: Int) -> [UInt8] {
        Array(content.dropFirst(index * FileShape.chunkBytes).prefix(FileShape.chunkBytes))
    }

    // MARK: - Messages that bring it along

    /// A message with files, whatever they are called.
    static func message(_ attachments: [[UInt8]]) -> [UInt8] {
        let text = Proto.field(1, Array("forged".utf8)) + attachments.flatMap { Proto.field(12, $0) }
        return Proto.fixed(1, HybridTimestamp(milliseconds: Mallory.now).rawValue)
            + Proto.fixed(2, UInt64(Int64.max)) + Proto.field(3, text)
    }

    static func attachment(
        _ fileID: [UInt8] = [UInt8](repeating: 9, count: Bytes32.count), name: [UInt8] = Array("plan.txt".utf8),
        mediaType: String = Attachment.unknownType, byteCount: UInt64 = 1
    ) -> [UInt8] {
        Proto.field(1, fileID) + Proto.field(2, name) + Proto.field(3, Array(mediaType.utf8))
            + Proto.field(4, byteCount)
    }

    /// - Parameter byteCount: its size, as the message says; the true one unless given.
    func attachment(name: String = "plan.txt", mediaType: String = Attachment.unknownType, byteCount: Int? = nil)
        -> [UInt8]
    {
        Self.attachment(
            fileID.bytes, name: Array(name.utf8), mediaType: mediaType, byteCount: UInt64(byteCount ?? content.count))
    }

    // MARK: - Parts

    static func wanted(
        _ fileID: FileID, byteCount: UInt64, in conversationID: ConversationID, part: UInt64, first: UInt64 = 0,
        count: UInt64 = 1
    ) -> [UInt8] {
        Proto.field(
            40,
            Proto.field(1, fileID.bytes) + Proto.field(2, byteCount) + Proto.field(3, conversationID.bytes)
                + Proto.field(4, part) + Proto.field(5, first) + Proto.field(6, count))
    }

    static func chunk(_ index: Int, of fileID: FileID, _ content: [UInt8]) -> [UInt8] {
        Proto.field(42, Proto.field(1, fileID.bytes) + Proto.field(2, UInt64(index)) + Proto.field(3, content))
    }

    private func hashes(_ hashes: [UInt8], part: UInt64, list: Int) -> [UInt8] {
        Proto.field(
            41,
            Proto.field(1, fileID.bytes) + Proto.field(2, part) + Proto.field(3, UInt64(list)) + Proto.field(4, hashes))
    }

    /// The frames that answer a question.
    /// - Parameter change: makes something else of a part.
    func answers(to question: FileQuestion, _ change: (FilePart, [UInt8]) -> [UInt8]) -> [[UInt8]] {
        question.parts.map { part in
            switch part {
            case .lists: hashes(change(part, lists), part: 0, list: 0)
            case .hashes(let list):
                hashes(change(part, list < hashes.count ? hashes[list] : []), part: 1, list: list)
            case .chunk(let index): Self.chunk(index, of: fileID, change(part, chunk(index)))
            }
        }
    }
}

/// What a node asks of a file.
struct FileQuestion: Sendable {
    let fileID: [UInt8]
    let parts: [FilePart]

    init(_ frame: [UInt8]) {
        let (first, count) = (Int(Proto.number(5, of: frame) ?? 0), Int(Proto.number(6, of: frame) ?? 0))
        fileID = Proto.bytes(1, of: frame) ?? []
        switch Proto.number(4, of: frame) ?? 0 {
        case 0: parts = [.lists]
        case 1: parts = (first..<first + count).map { .hashes(ofList: $0) }
        default: parts = (first..<first + count).map { .chunk($0) }
        }
    }
}

extension HostileLink {
    /// Gives the node what it asks of a file, until it asks for nothing any more.
    /// - Parameters:
    ///   - seconds: for how long it asks for nothing at the end.
    ///   - change: makes something else of a part.
    /// - Returns: the parts that the node has asked for, question by question.
    func give(
        _ file: ForgedFile, within seconds: Int = 2, _ change: (FilePart, [UInt8]) -> [UInt8] = { $1 }
    ) -> [[FilePart]] {
        socket.setPatience(1)
        defer { socket.setPatience(10) }
        var asked: [[FilePart]] = []
        var end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, !socket.isClosed {
            guard let frame = nextFrame(), frame.number == 40 else { continue }
            let question = FileQuestion(frame.content)
            guard question.fileID == file.fileID.bytes else { continue }
            end = .now + .seconds(seconds)
            asked.append(question.parts)
            for answer in file.answers(to: question, change) { send(answer) }
        }
        return asked
    }
}
