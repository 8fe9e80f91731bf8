import EarshotModel

/// What peers are given of files: a few chunks at a time, so that what else their links have to send need not wait.
struct FileGiving: Sendable {
    typealias Action = FileTransfers.Action

    fileprivate struct Line: Sendable {
        var questions: [Question] = []
        /// How many parts of the first question have been read.
        var begun = 0
        /// Parts that are read, or have not left yet.
        var ahead = 0
        /// Questions are numbered, so that what is still read for one that was dropped is known.
        var nextNumber: UInt64 = 0
        /// Of each file the parts that are being read, and before which question all were dropped.
        var reading: [FileID: Reading] = [:]
    }

    fileprivate struct Question: Sendable {
        let wanted: WantedFile
        let isOwnDevice: Bool
        let number: UInt64
    }

    fileprivate struct Reading: Sendable {
        var count = 0
        var firstKept: UInt64 = 0
    }

    private var lines: [ConnectionID: Line] = [:]

    var isIdle: Bool { lines.isEmpty }

    func isGiving(on connectionID: ConnectionID) -> Bool { lines[connectionID] != nil }

    /// The most questions, and the most parts ahead, of one link.
    var load: (questions: Int, ahead: Int) {
        (lines.values.map(\.questions.count).max() ?? 0, lines.values.map(\.ahead).max() ?? 0)
    }

    /// A peer wants parts of a file.
    /// - Parameter isOwnDevice: whether it is a device of this node's user.
    /// - Throws: `ProtocolError` `violation` where it has asked for more than it has taken.
    mutating func asked(
        _ wanted: WantedFile, byOwnDevice isOwnDevice: Bool = false, on connectionID: ConnectionID
    ) throws(ProtocolError) -> [Action] {
        guard lines[connectionID].map({ $0.questions.count < Limits.fileQuestionsPerLink }) ?? true else {
            throw ProtocolError(
                .violation, "the peer asks \(Limits.fileQuestionsPerLink) times for parts of files, and takes none")
        }
        var line = lines[connectionID] ?? Line()
        line.questions.append(Question(wanted: wanted, isOwnDevice: isOwnDevice, number: line.nextNumber))
        line.nextNumber += 1
        lines[connectionID] = line
        return advance(connectionID)
    }

    private mutating func advance(_ connectionID: ConnectionID) -> [Action] {
        guard var line = lines[connectionID] else { return [] }
        var actions: [Action] = []
        while line.ahead < Limits.chunksAheadPerLink, let question = line.questions.first {
            let wanted = question.wanted
            let part = wanted.part(line.begun)
            line.begun += 1
            line.ahead += 1
            line.reading[wanted.fileID, default: Reading()].count += 1
            if line.begun == wanted.partCount {
                line.questions.removeFirst()
                line.begun = 0
            }
            actions.append(
                .task(
                    .read(
                        FileRead(
                            fileID: wanted.fileID, conversationID: wanted.conversationID, shape: wanted.shape,
                            part: part, connectionID: connectionID, isForOwnDevice: question.isOwnDevice,
                            question: question.number))))
        }
        lines[connectionID] = line.ahead == 0 && line.questions.isEmpty ? nil : line
        return actions
    }

    /// The shell has read a part.
    /// - Parameter bytes: `nil` if it is not to be had here.
    mutating func read(_ read: FileRead, _ bytes: [UInt8]?) -> [Action] {
        let connectionID = read.connectionID
        guard let isKept = lines[connectionID]?.endReading(read) else { return [] }
        if isKept, let bytes { return [.send(read.frame(bytes), connectionID), .task(.notifyWritten(connectionID))] }
        lines[connectionID]?.ahead -= 1
        // What was dropped is not answered: the peer was told so already, or has said so itself.
        guard isKept else { return advance(connectionID) }
        drop(read.fileID, on: connectionID)
        let news = FileNews(fileID: read.fileID, conversationID: read.conversationID, state: .absent)
        return [.send(.fileNews(news), connectionID)] + advance(connectionID)
    }

    /// Everything is out that was written on a link when it was asked for: one part more may be read.
    mutating func written(_ connectionID: ConnectionID) -> [Action] {
        guard let ahead = lines[connectionID]?.ahead, ahead > 0 else { return [] }
        lines[connectionID]?.ahead -= 1
        return advance(connectionID)
    }

    /// A peer wants no more of a file.
    mutating func unwanted(_ fileID: FileID, on connectionID: ConnectionID) { drop(fileID, on: connectionID) }

    private mutating func drop(_ fileID: FileID, on connectionID: ConnectionID) {
        lines[connectionID]?.drop(fileID)
    }

    mutating func linkEnded(_ connectionID: ConnectionID) { lines[connectionID] = nil }
}

extension FileGiving.Line {
    fileprivate mutating func drop(_ fileID: FileID) {
        if questions.first?.wanted.fileID == fileID { begun = 0 }
        questions.removeAll { $0.wanted.fileID == fileID }
        reading[fileID]?.firstKept = nextNumber
    }

    /// A part was read.
    /// - Returns: whether what asked for it still stands.
    fileprivate mutating func endReading(_ read: FileRead) -> Bool {
        guard var entry = reading[read.fileID] else { return false }
        entry.count -= 1
        reading[read.fileID] = entry.count > 0 ? entry : nil
        return read.question >= entry.firstKept
    }
}

extension WantedFile {
    fileprivate var partCount: Int {
        switch parts {
        case .lists: 1
        case .hashes(let lists): lists.count
        case .chunks(let chunks): chunks.count
        }
    }

    fileprivate func part(_ index: Int) -> FilePart {
        switch parts {
        case .lists: .lists
        case .hashes(let lists): .hashes(ofList: lists.lowerBound + index)
        case .chunks(let chunks): .chunk(chunks.lowerBound + index)
        }
    }
}

extension FileRead {
    fileprivate func frame(_ bytes: [UInt8]) -> Frame {
        switch part {
        case .lists: .fileHashes(FileHashes(fileID: fileID, list: nil, hashes: bytes))
        case .hashes(let list): .fileHashes(FileHashes(fileID: fileID, list: list, hashes: bytes))
        case .chunk(let index): .fileChunk(FileChunk(fileID: fileID, index: index, content: bytes))
        }
    }
}
