import EarshotCrypto
import EarshotModel
import EarshotProtocol

/// A content, with its hashes.
struct SimulatedFile {
    let content: [UInt8]
    let shape: FileShape
    let fileID: FileID
    /// The hashes of its lists, one after the other.
    let lists: [UInt8]
    /// The hashes of each list's chunks, one after the other.
    let hashes: [[UInt8]]

    init(_ content: [UInt8]) {
        guard let shape = FileShape(byteCount: UInt64(content.count)) else { preconditionFailure("a file is small") }
        self.content = content
        self.shape = shape
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

    /// A content that no other number has.
    init(seed: UInt64, number: Int, bytes count: Int) {
        var generator = SeededGenerator(seed: seed ^ 0x6669_6c65 &+ UInt64(number))
        var content: [UInt8] = []
        content.reserveCapacity(count + 8)
        while content.count < count {
            withUnsafeBytes(of: generator.next().littleEndian) { content += $0 }
        }
        self.init(Array(content.prefix(count)))
    }

    func part(_ part: FilePart) -> [UInt8]? {
        switch part {
        case .lists: lists
        case .hashes(let list): list < hashes.count ? hashes[list] : nil
        case .chunk(let index): index < shape.chunkCount ? Array(content[shape.bytes(ofChunk: index)]) : nil
        }
    }
}

/// Files on a node's disk. What is not noted there is lost when its process ends.
struct FileShelf {
    private struct Partial {
        let shape: FileShape
        var lists: [UInt8]?
        var hashes: [Int: [UInt8]] = [:]
        var chunks: [Int: [UInt8]] = [:]
        /// Chunks that survive the process.
        var noted: Set<Int> = []
    }

    private(set) var held: [FileID: SimulatedFile] = [:]
    private var partial: [FileID: Partial] = [:]
    /// What the process fetches.
    private var fetched: Set<FileID> = []

    mutating func keep(_ file: SimulatedFile) { held[file.fileID] = file }

    /// - Returns: whether the file is to be fetched now, which is noted.
    mutating func begin(_ fileID: FileID) -> Bool { held[fileID] == nil && fetched.insert(fileID).inserted }

    /// The file is not fetched any more.
    mutating func close(_ fileID: FileID) { fetched.remove(fileID) }

    /// The process is gone.
    mutating func end() {
        fetched = []
        partial = partial.mapValues { file in
            var file = file
            file.chunks = file.chunks.filter { [noted = file.noted] in noted.contains($0.key) }
            return file
        }
    }

    mutating func open(_ fileID: FileID, _ shape: FileShape) -> FileInventory {
        let file = partial[fileID] ?? Partial(shape: shape)
        partial[fileID] = file
        return FileInventory(
            hasLists: file.lists != nil, lists: Set(file.hashes.keys),
            chunks: file.chunks.keys.reduce(into: SequenceSet()) { $0.insert(UInt64($1)) })
    }

    /// Proves a part, as `PartialFile` does, and keeps it.
    mutating func write(_ part: FilePart, of fileID: FileID, _ bytes: [UInt8]) -> FileWriteResult {
        guard var file = partial[fileID] else { return .failed }
        switch part {
        case .lists:
            let hash = bytes.withUnsafeBytes { FileHash.file($0, byteCount: file.shape.byteCount) }
            guard bytes.count == file.shape.listCount * Bytes32.count, hash == fileID else { return .wrong }
            file.lists = bytes
        case .hashes(let list):
            let hash = bytes.withUnsafeBytes { FileHash.list($0, at: list) }
            guard bytes.count == file.shape.chunks(ofList: list).count * Bytes32.count,
                Self.hash(list, of: file.lists ?? []) == hash.bytes
            else { return .wrong }
            file.hashes[list] = bytes
        case .chunk(let index):
            let list = index / Limits.chunksPerList
            let hash = bytes.withUnsafeBytes { FileHash.chunk($0, at: index) }
            guard bytes.count == file.shape.bytes(ofChunk: index).count,
                Self.hash(index % Limits.chunksPerList, of: file.hashes[list] ?? []) == hash.bytes
            else { return .wrong }
            file.chunks[index] = bytes
            if file.chunks.count.isMultiple(of: 2) { file.noted = Set(file.chunks.keys) }
        }
        partial[fileID] = file
        return .kept
    }

    private static func hash(_ index: Int, of hashes: [UInt8]) -> [UInt8] {
        Array(hashes.dropFirst(index * Bytes32.count).prefix(Bytes32.count))
    }

    /// - Returns: whether all of it is here.
    mutating func finish(_ fileID: FileID) -> Bool {
        fetched.remove(fileID)
        guard let file = partial.removeValue(forKey: fileID), file.lists != nil,
            file.chunks.count == file.shape.chunkCount
        else { return false }
        held[fileID] = SimulatedFile((0..<file.shape.chunkCount).flatMap { file.chunks[$0] ?? [] })
        return true
    }

    /// - Returns: `nil` for what is not here, or has another size.
    func part(_ part: FilePart, of fileID: FileID, _ shape: FileShape) -> [UInt8]? {
        guard let file = held[fileID], file.shape == shape else { return nil }
        return file.part(part)
    }
}
