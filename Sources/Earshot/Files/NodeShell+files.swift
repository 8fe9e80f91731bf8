import EarshotFiles
import EarshotProtocol
import Logging

extension NodeShell {
    /// Begins to fetch a file that a message of a conversation brings along.
    func fetch(_ fileID: FileID, _ shape: FileShape, in conversationID: ConversationID) {
        perform { $0.fetchFile(fileID, shape: shape, in: conversationID, now: $1) }
    }

    /// Whether this node's user has never written to a user.
    func isStranger(_ userID: UserID) -> Bool { machine.isStranger(userID) }

    /// A file is not to be fetched any more.
    /// - Parameter isKept: whether what came of it stays on the disk.
    func stopFetching(_ fileID: FileID, isKept: Bool) {
        perform { $0.stopFile(fileID, now: $1) }
        storage.fileDisk.fetched.close(fileID, isKept: isKept)
    }

    /// A file is here now, without having been fetched: those who lack it may ask for it.
    func tellHeld(_ fileID: FileID, to audience: FileAudience) {
        perform { $0.fileFinished(fileID, heldFor: audience, now: $1) }
    }

    func perform(_ task: FileTask) {
        switch task {
        case .open(let fileID, let shape):
            storage.fileDisk.fetched.open(fileID, shape) { [self] result in
                assumeIsolated { shell in
                    switch result {
                    case .success(let inventory):
                        if inventory.hasLists { shell.storage.fileKeeper.proved(fileID) }
                        shell.perform { $0.fileOpened(fileID, inventory, now: $1) }
                    case .failure(let error): shell.fetchFailed(fileID, error)
                    }
                }
            }
        case .write(let fileID, let part, let bytes, let connectionID, let conversationID):
            storage.fileDisk.fetched.write(part, of: fileID, bytes, in: conversationID) { [self] result in
                assumeIsolated { $0.wrote(part, of: fileID, from: connectionID, result) }
            }
        case .read(let read):
            storage.fileDisk.given.read(read) { [self] result in
                assumeIsolated { shell in
                    if case .failure(let error) = result {
                        shell.logger.warning("a file cannot be read", metadata: ["error": "\(error)"])
                    }
                    let bytes = (try? result.get()) ?? nil
                    shell.perform { $0.fileRead(read, bytes, now: $1) }
                }
            }
        case .finish(let fileID):
            storage.fileDisk.fetched.finish(fileID, at: clock.now.wallClock) { [self] result in
                assumeIsolated { shell in
                    switch result {
                    case .success(let audience):
                        shell.tellHeld(fileID, to: audience)
                        shell.fetchEnded(fileID, .held)
                    case .failure(let error): shell.fetchFailed(fileID, error)
                    }
                }
            }
        case .notifyWritten(let connectionID):
            network.connections[connectionID]?.whenWritten { [self] in
                assumeIsolated { shell in shell.perform { $0.written(connectionID, now: $1) } }
            }
        }
    }

    private func wrote(
        _ part: FilePart, of fileID: FileID, from connectionID: ConnectionID, _ result: Result<UInt64, FilesError>
    ) {
        switch result {
        case .success(let receivedBytes):
            perform { $0.fileWritten(part, of: fileID, from: connectionID, .kept, now: $1) }
            if let update = storage.fileKeeper.progressed(fileID, receivedBytes: receivedBytes, now: clock.now.uptime) {
                post(.fileUpdated(update))
            }
        case .failure(let error) where error.code == .wrongContent:
            logger.warning(
                "a peer gave something else than the file", metadata: ["file": "\(fileID)", "error": "\(error)"])
            perform { $0.fileWritten(part, of: fileID, from: connectionID, .wrong, now: $1) }
        case .failure(let error):
            perform { $0.fileWritten(part, of: fileID, from: connectionID, .failed, now: $1) }
            fetchFailed(fileID, error)
        }
    }

    private func fetchFailed(_ fileID: FileID, _ error: FilesError) {
        // It may have been given up meanwhile, and then nobody waits for it.
        guard storage.fileKeeper.receivedBytes(of: fileID) != nil else { return }
        logger.warning("a file cannot be fetched", metadata: ["file": "\(fileID)", "error": "\(error)"])
        perform { $0.fileFinished(fileID, heldFor: FileAudience(), now: $1) }
        storage.fileDisk.fetched.close(fileID, isKept: true)
        fetchEnded(fileID, .failed(reason: error.message))
    }

    private func fetchEnded(_ fileID: FileID, _ state: FileState) {
        let keeper = storage.fileKeeper
        guard let byteCount = state == .held ? keeper.arrived(fileID) : keeper.ended(fileID) else { return }
        if case .failed(let reason) = state {
            storage.fileDisk.fetched.note(
                FileRecord(fileID, byteCount: byteCount, .failed(reason: reason), changedAt: clock.now.wallClock))
        }
        post(.fileUpdated(FileUpdate(fileID, byteCount: byteCount, state)))
    }
}
