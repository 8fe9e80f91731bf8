package import EarshotModel

/// Files that messages bring along: what is fetched, and what peers are given.
extension NodeMachine {
    // MARK: - What the shell asks

    /// Begins to fetch a file that a message of a conversation brings along, from whoever takes part in it and has it.
    package mutating func fetchFile(
        _ fileID: FileID, shape: FileShape, in conversationID: ConversationID, now: Moment
    ) -> [NodeAction] {
        handle(now: now) { node in
            node.run(node.files.begin(fileID, shape: shape, in: conversationID))
            node.reachParticipants(of: conversationID, now: now)
        }
    }

    /// A file is not to be fetched any more.
    package mutating func stopFile(_ fileID: FileID, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.files.stop(fileID)) }
    }

    /// The answer to `open`: what is here of a file.
    package mutating func fileOpened(_ fileID: FileID, _ inventory: FileInventory, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.files.opened(fileID, inventory) }
    }

    /// The answer to `write`.
    package mutating func fileWritten(
        _ part: FilePart, of fileID: FileID, from connectionID: ConnectionID, _ result: FileWriteResult, now: Moment
    ) -> [NodeAction] {
        handle(now: now) { $0.run($0.files.written(part, of: fileID, from: connectionID, result)) }
    }

    /// The answer to `finish`, or a file cannot be kept: it is fetched no longer. If it is here, those who may be given it are
    /// told, because they may lack it.
    package mutating func fileFinished(_ fileID: FileID, heldFor audience: FileAudience, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.files.ended(fileID)
            for conversationID in audience.named.sorted() {
                let news = FileNews(fileID: fileID, conversationID: conversationID, state: .held)
                for connectionID in node.links(into: conversationID, now: now) {
                    let isOwn = node.peer(on: connectionID).map { node.isOwn($0) } == true
                    guard isOwn || audience.given.contains(conversationID) else { continue }
                    node.send(.fileNews(news), on: connectionID)
                }
            }
        }
    }

    /// The answer to `read`.
    /// - Parameter bytes: `nil` if the part is not to be had here.
    package mutating func fileRead(_ read: FileRead, _ bytes: [UInt8]?, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.files.read(read, bytes)) }
    }

    /// The answer to `notifyWritten`.
    package mutating func written(_ connectionID: ConnectionID, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.files.written(connectionID)) }
    }

    // MARK: - Frames

    /// - Throws: `ProtocolError` `violation`, `tooManyRequests`.
    mutating func received(
        file frame: Frame, of peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        switch frame {
        case .wantedFile(let wanted):
            try checkBudget(on: connectionID, now: now)
            guard isShared(wanted.conversationID, with: peer, now: now) else {
                let news = FileNews(fileID: wanted.fileID, conversationID: wanted.conversationID, state: .absent)
                return send(.fileNews(news), on: connectionID)
            }
            run(try files.asked(wanted, byOwnDevice: isOwn(peer), on: connectionID))
        case .fileHashes(let hashes):
            run(
                files.received(
                    hashes.part, of: hashes.fileID, hashes.hashes, on: connectionID, now: now.uptime))
        case .fileChunk(let chunk):
            run(
                files.received(
                    .chunk(chunk.index), of: chunk.fileID, chunk.content, on: connectionID, now: now.uptime))
        case .fileNews(let news): files.heard(news, on: connectionID, now: now.uptime)
        default: break
        }
    }

    /// Asks for what is next. What follows every input.
    mutating func advanceFiles(now: Moment) {
        guard files.isFetching else { return }
        // What others take part in changes while this is asked, so the machine is lent nothing of the node.
        let conversations = files.conversations
        let holders = conversations.reduce(into: [:]) { $0[$1] = links(into: $1, now: now) }
        run(files.advance(now: now.uptime) { holders[$0] ?? [] })
        clocks.wake(by: files.deadline)
    }

    // MARK: - Who takes part

    private func isShared(_ conversationID: ConversationID, with peer: LinkPeer, now: Moment) -> Bool {
        mayReplicate(with: peer, now: now) && (isOwn(peer) || shares(conversationID, with: peer.userID))
    }

    /// Links to those who take part in a conversation, and to the user's own devices, ascending.
    private func links(into conversationID: ConversationID, now: Moment) -> [ConnectionID] {
        openConnections.filter { connectionID in
            guard let peer = peer(on: connectionID) else { return false }
            return isShared(conversationID, with: peer, now: now)
        }
    }

    // MARK: - What they want

    private mutating func run(_ actions: [FileTransfers.Action]) {
        for action in actions {
            switch action {
            case .send(let frame, let connectionID): send(frame, on: connectionID)
            case .task(let task): emit(.file(task))
            case .credit(let requests, let connectionID): peers.credit(requests, on: connectionID)
            }
        }
    }
}
