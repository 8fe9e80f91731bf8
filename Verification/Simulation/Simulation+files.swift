import EarshotModel
import EarshotProtocol
import EarshotStore

/// Files that messages of the open conversation bring along. Every node wants all of them, from whoever has them.
extension Simulation {
    /// Contents of no chunk, of one, and of several, of which the last is short.
    private static let fileSizes = [
        0, 1000, FileShape.chunkBytes + 10, 3 * FileShape.chunkBytes - 5,
    ]

    /// How often a node looks for files that it lacks, in virtual microseconds.
    private static let fileInterval: Int64 = 2_000_000

    mutating func planFiles() {
        guard configuration.files > 0 else { return }
        precondition(configuration.hasGroups, "files are brought along in a conversation of many")
        for number in 0..<configuration.files {
            let at = Int64.random(in: 2_000_000..<configuration.trouble, using: &fileChance)
            queue.push(.bring(number: number, attempt: 0), at: at)
        }
        for index in nodes.indices { queue.push(.lookForFiles(node: index), at: Self.fileInterval) }
    }

    /// A node brings a file along, and tries again unless that is accepted.
    mutating func bring(_ number: Int, attempt: Int) throws {
        guard !isAccepted(file: number) else { return }
        let index = number % nodes.count
        queue.push(.bring(number: number, attempt: attempt + 1), at: time + 2_000_000)
        guard !nodes[index].isAsked("file \(number)."), nodes[index].isUp, !nodes[index].isStopping,
            nodes[index].openConversation(groupID)?.isJoined == true
        else { return }
        let file = SimulatedFile(seed: seed, number: number, bytes: Self.fileSizes[number % Self.fileSizes.count])
        nodes[index].shelf.keep(file)
        let text = "file \(number).\(attempt) of node \(index) to all"
        var draft = MessageDraft(text, timeToLive: Self.longTimeToLive)
        draft.attachments = [
            try Attachment(fileID: file.fileID, name: "file \(number)", byteCount: file.shape.byteCount)
        ]
        let requestID = nodes[index].nextRequest(for: [text])
        try perform(index) { [groupID, draft] in $0.send([draft], to: groupID, requestID: requestID, now: $1) }
    }

    private func isAccepted(file number: Int) -> Bool {
        nodes[number % nodes.count].accepted.contains { $0.text.hasPrefix("file \(number).") }
    }

    // MARK: - Fetching

    /// The files of messages that a node has.
    private func attachments(at index: Int) throws -> [Attachment] {
        try nodes[index].store.history(of: groupID).flatMap(\.attachments)
    }

    /// A node fetches what its messages bring along and it has not got.
    mutating func lookForFiles(_ index: Int) throws {
        queue.push(.lookForFiles(node: index), at: time + Self.fileInterval)
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        for attachment in try attachments(at: index) where nodes[index].shelf.begin(attachment.fileID) {
            guard let shape = FileShape(byteCount: attachment.byteCount) else { continue }
            try perform(index) { [groupID] in
                $0.fetchFile(attachment.fileID, shape: shape, in: groupID, now: $1)
            }
        }
    }

    /// A disk takes its time. Without files nobody draws from this chance, so that other runs take their course.
    mutating func later(_ task: FileTask, of index: Int) {
        let span = Int64.random(in: configuration.commitTime, using: &fileChance)
        let at = time + (nodes[index].diskSlowUntil > time ? span * 200 : span) / 4
        queue.push(.fileTask(node: index, generation: nodes[index].generation, task), at: at)
    }

    mutating func perform(_ task: FileTask, of index: Int, _ generation: Int) throws {
        guard nodes[index].generation == generation else { return }
        let isFull = nodes[index].diskFullUntil > time
        switch task {
        case .open(let fileID, let shape):
            guard !isFull else { return try failFile(fileID, at: index) }
            let inventory = nodes[index].shelf.open(fileID, shape)
            try perform(index) { $0.fileOpened(fileID, inventory, now: $1) }
        case .write(let fileID, let part, let bytes, let connectionID, _):
            let result = isFull ? .failed : nodes[index].shelf.write(part, of: fileID, bytes)
            if result == .wrong { refusedParts += 1 }
            try perform(index) { $0.fileWritten(part, of: fileID, from: connectionID, result, now: $1) }
            if result == .failed { try failFile(fileID, at: index) }
        case .finish(let fileID):
            if !nodes[index].shelf.finish(fileID) { violated("\(name(index)) finishes a file that is not whole") }
            let audience = FileAudience(given: [groupID], named: [groupID])
            try perform(index) { $0.fileFinished(fileID, heldFor: audience, now: $1) }
        case .read(let read):
            var bytes = nodes[index].shelf.part(read.part, of: read.fileID, read.shape)
            if nodes[index].diskUnreadableUntil > time { bytes = nil }
            if try !attachments(at: index).contains(where: { $0.fileID == read.fileID }) { bytes = nil }
            if let given = bytes, !given.isEmpty, nodes[index].isHostile, !isHealed, fileChance.oneIn(3) {
                bytes?[Int.random(in: given.indices, using: &fileChance)] ^= 1
            }
            try perform(index) { [bytes] in $0.fileRead(read, bytes, now: $1) }
        case .notifyWritten(let connectionID): try perform(index) { $0.written(connectionID, now: $1) }
        }
    }

    /// The disk does not take a file: it is looked for again later.
    private mutating func failFile(_ fileID: FileID, at index: Int) throws {
        nodes[index].shelf.close(fileID)
        try perform(index) { $0.fileFinished(fileID, heldFor: FileAudience(), now: $1) }
    }

    // MARK: - What must hold

    /// Whether everybody holds what their messages bring along, as far as somebody whom a path joins to them has it.
    func areFilesQuiet() throws -> Bool {
        guard configuration.files > 0 else { return true }
        guard (0..<configuration.files).allSatisfy(isAccepted(file:)) else { return false }
        for component in components {
            for index in component { guard try missingFiles(at: index, among: component).isEmpty else { return false } }
        }
        return true
    }

    private func missingFiles(at index: Int, among component: Set<Int>) throws -> [Attachment] {
        try attachments(at: index).filter { attachment in
            nodes[index].shelf.held[attachment.fileID] == nil
                && component.contains { nodes[$0].shelf.held[attachment.fileID] != nil }
        }
    }

    mutating func reportFileUnrest() throws {
        guard configuration.files > 0 else { return }
        for component in components {
            for index in component.sorted() {
                for attachment in try missingFiles(at: index, among: component) {
                    let holders = component.sorted().filter { nodes[$0].shelf.held[attachment.fileID] != nil }
                    violated("\(name(index)) lacks \(attachment.name), which \(holders.map(name)) have")
                }
            }
        }
    }

    /// What is held has the content of its id, and of the size that its message says.
    mutating func checkFiles() throws {
        guard configuration.files > 0 else { return }
        for index in nodes.indices {
            for (fileID, file) in nodes[index].shelf.held.sorted(by: { $0.key < $1.key })
            where SimulatedFile(file.content).fileID != fileID {
                violated("\(name(index)) holds another content than that of \(fileID)")
            }
            for attachment in try attachments(at: index) {
                guard let held = nodes[index].shelf.held[attachment.fileID] else { continue }
                if held.shape.byteCount != attachment.byteCount {
                    violated("\(name(index)) holds \(attachment.name) in another size")
                }
            }
        }
    }
}
