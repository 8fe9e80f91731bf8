import EarshotFiles
import EarshotStore
import Foundation

/// The files that messages bring along.
///
/// A content is on the disk once, however many messages bring it along, and is known by its `FileID`. It moves apart from the
/// messages: a message is delivered when it is on its recipient's disk, and its files follow, from whoever takes part in the
/// conversation and has them.
public struct Files: Sendable {
    let node: Node

    // MARK: - Bringing along

    /// Takes in what a file contains now, so that a message can bring it along: `MessageDraft.attachments`. Where the file
    /// system can, it shares the room on the disk with the file. A folder is taken in as a tar archive of it, which the system's
    /// `tar` makes.
    /// - Parameters:
    ///   - path: a file or a folder, or what leads to one.
    ///   - name: what the recipients see; that of the file unless given.
    ///   - mediaType: what it is; guessed by its name unless given.
    /// - Throws: `EarshotError` `unusableFile`, `fileTooLarge`, `fileChanged`, `invalidMessage` for a name or a type that no
    ///   attachment has; `storeFull`, `storeUnavailable`, `stopped`.
    public func add(
        _ path: String, name: String? = nil, mediaType: String? = nil
    ) async throws(EarshotError) -> Attachment {
        if Self.isFolder(path) { return try await addFolder(path, name: name, mediaType: mediaType) }
        let name = name ?? Self.lastComponent(of: path)
        let (files, store, now) = (node.shell.storage.fileDisk.files, node.store, node.environment.clock.now.wallClock)
        // Before anything is read: names are refused at once.
        let empty = try Self.attachment(FileID(Bytes32()), name, mediaType, byteCount: 0)
        let (fileID, byteCount) = try await node.writingHome { () throws(EarshotError) in
            do throws(FilesError) {
                let added = try files.add(path)
                try Self.note(added.fileID, byteCount: added.byteCount, .held, in: store, at: now)
                return added
            } catch { throw EarshotError(error, path: path) }
        }
        return try Self.attachment(fileID, empty.name, empty.mediaType, byteCount: byteCount)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = Glibc.stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func addFolder(_ path: String, name: String?, mediaType: String?) async throws(EarshotError) -> Attachment {
        // What leads to a folder is not beside it.
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let home = URL(fileURLWithPath: node.home.path).resolvingSymlinksInPath()
        guard !home.path.hasPrefix(folder.path == "/" ? "/" : folder.path + "/"), home != folder else {
            throw EarshotError(
                .unusableFile,
                "the folder \(path) has this node's own home, with its keys, in it: send a folder that has not",
                .init(path: path))
        }
        let upload = try await upload(
            name: name ?? "\(Self.lastComponent(of: path)).tar", mediaType: mediaType ?? "application/x-tar")
        // What is named by its own folder unpacks into one, wherever that is done.
        let (child, output) = try ProgramRun.reading(
            "tar",
            [
                "--create", "--sort=name", "--directory", folder.deletingLastPathComponent().path, "--",
                folder.lastPathComponent,
            ])
        do throws(EarshotError) {
            var waiting: [UInt8] = []
            while let piece = await output.read() {
                waiting += piece
                guard waiting.count >= Self.uploadBytes else { continue }
                try await upload.append(waiting)
                waiting = []
            }
            try await upload.append(waiting)
        } catch {
            output.stop()
            kill(child.pid, SIGTERM)
            _ = await child.end()
            throw error
        }
        switch await child.end() {
        case 0: return try await upload.finish()
        // "Some files differ": tar's manual, section 13.1.
        case 1:
            throw EarshotError(
                .fileChanged, "\(path) changed while it was read: send it again when it is finished", .init(path: path))
        case let status:
            throw EarshotError(
                .unusableFile, "tar cannot read all of the folder \(path), and ended with \(status)", .init(path: path))
        }
    }

    /// What of an archive is written at once.
    private static let uploadBytes = 1024 * 1024

    /// Begins to take in a content that comes piece by piece, such as one that a program makes.
    /// - Parameters:
    ///   - name: what the recipients see.
    ///   - mediaType: what it is; guessed by its name unless given.
    /// - Throws: `EarshotError` `invalidMessage` for a name or a type that no attachment has; `storeFull`,
    ///   `storeUnavailable`, `stopped`.
    public func upload(name: String, mediaType: String? = nil) async throws(EarshotError) -> FileUpload {
        try await upload(name: name, mediaType: mediaType, by: nil)
    }

    /// The same for a program that may not do everything.
    /// - Parameter uploader: which one, and how much of what it uploads may wait for a message; `nil` for the owner's.
    /// - Throws: as `upload(name:mediaType:)`; `storeFull` if the uploader has no room left, too.
    package func upload(
        name: String, mediaType: String?, by uploader: Uploader?
    ) async throws(EarshotError) -> FileUpload {
        let empty = try Self.attachment(FileID(Bytes32()), name, mediaType, byteCount: 0)
        let (store, disk, usage) = (node.store, node.shell.storage.fileDisk, try await usage())
        let unsent = try await node.readStore { () throws(StoreError) in
            guard let uploader else { return 0 as UInt64 }
            return try store.unsentBytes(uploadedWith: uploader.token)
        }
        let place = disk.uploads.begin(
            uploader, unsentBytes: unsent, usedBytes: usage.byteCount, quotaBytes: usage.quotaBytes)
        // Who has no room left is told before anything is sent.
        try place.check()
        let content = try await node.writingHome { () throws(EarshotError) in
            do throws(FilesError) { return try disk.files.receive() } catch { throw EarshotError(error) }
        }
        return FileUpload(
            node: node, content: content, place: place, uploader: uploader, name: empty.name,
            mediaType: empty.mediaType)
    }

    static func attachment(
        _ fileID: FileID, _ name: String, _ mediaType: String?, byteCount: UInt64
    ) throws(EarshotError) -> Attachment {
        do {
            return try Attachment(
                fileID: fileID, name: name, mediaType: mediaType ?? MediaType.guess(name), byteCount: byteCount)
        } catch { throw EarshotError(.invalidMessage, error.message, cause: error.cause) }
    }

    static func note(
        _ fileID: FileID, byteCount: UInt64, _ state: FileRecord.State, in store: Store, at time: Int64,
        token: String? = nil
    ) throws(FilesError) {
        let record = FileRecord(fileID, byteCount: byteCount, state, changedAt: time, token: token)
        do { try store.note(record) } catch {
            throw FilesError(error)
        }
    }

    private static func lastComponent(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path
    }

    /// - Throws: `EarshotError` `unknownFile` if a draft brings along what is not here.
    func check(_ drafts: [MessageDraft]) async throws(EarshotError) {
        for attachment in drafts.flatMap(\.attachments) {
            guard try await held(attachment.fileID)?.shape.byteCount == attachment.byteCount else {
                throw EarshotError(
                    .unknownFile,
                    "the file \"\(Excerpt.of(attachment.name))\" is not here, so no message can bring it along",
                    .init(name: Excerpt.of(attachment.name)))
            }
        }
    }

    // MARK: - What is here

    /// What the node has of a file.
    /// - Throws: `EarshotError` `unknownFile` if no message brings it along, and it was not added; `storeDamaged`,
    ///   `storeUnavailable`.
    public func state(of fileID: FileID) async throws(EarshotError) -> FileState { try await update(of: fileID).state }

    /// What the node has of a file, and its size.
    /// - Throws: as `state(of:)`.
    public func update(of fileID: FileID) async throws(EarshotError) -> FileUpdate {
        let store = node.store
        let (record, messages, rules) = try await node.readStore { () throws(StoreError) in
            (try store.file(fileID), try store.messages(with: fileID), try store.fileRules())
        }
        // What was decided about a file counts no more once the messages are gone that brought it along.
        guard let byteCount = record?.byteCount ?? messages.first?.byteCount,
            !messages.isEmpty || record?.state == .held
        else { throw Self.unknown(fileID) }
        return FileUpdate(
            fileID, byteCount: byteCount, await state(of: fileID, record, broughtBy: messages, rules))
    }

    private func state(
        of fileID: FileID, _ record: FileRecord?, broughtBy messages: [AttachedFile], _ rules: FileRulesInForce
    ) async -> FileState {
        if let receivedBytes = node.fileKeeper.receivedBytes(of: fileID) {
            return .fetching(receivedBytes: receivedBytes)
        }
        switch record?.state {
        case .held: return .held
        case .declined: return .declined
        case .failed(let reason): return .failed(reason: reason)
        case .wanted: return .fetching(receivedBytes: 0)
        case nil: break
        }
        var isRefused = true
        for message in messages {
            switch await decision(on: message, by: rules) {
            // One message is enough for a file to be fetched.
            case .fetch: return .fetching(receivedBytes: 0)
            case .ask: isRefused = false
            case .refuse: break
            }
        }
        return isRefused ? .declined : .waiting
    }

    /// The files that messages bring along, those of the last messages first.
    /// - Parameter limit: at most `Limits.listedFiles`.
    /// - Throws: `EarshotError` `invalidLimit`, `storeDamaged`, `storeUnavailable`.
    public func shared(limit: Int = 100) async throws(EarshotError) -> [SharedFile] {
        guard (1...Limits.listedFiles).contains(limit) else {
            throw EarshotError(
                .invalidLimit, "a list has 1 to \(Limits.listedFiles) files", .init(limit: Limits.listedFiles))
        }
        let store = node.store
        let (files, rules, owed) = try await node.readStore { () throws(StoreError) in
            (try store.attachedFiles(limit: limit), try store.fileRules(), try store.owedCopies())
        }
        let copies = Dictionary(grouping: owed, by: \.attachment.fileID)
        let messages = Dictionary(grouping: files.map(\.file), by: \.fileID)
        var shared: [SharedFile] = []
        for (file, record) in files {
            let state = await state(of: file.fileID, record, broughtBy: messages[file.fileID] ?? [file], rules)
            shared.append(SharedFile(file, state, owedCopies: copies[file.fileID] ?? []))
        }
        return shared
    }

    /// How much room the files take that are here, and what has come of others.
    /// - Throws: `EarshotError` `unusableFile`, `storeDamaged`, `storeUnavailable`.
    public func usage() async throws(EarshotError) -> FileUsage {
        let (store, files) = (node.store, node.shell.storage.fileDisk.files)
        let (held, rules) = try await node.readStore { () throws(StoreError) in
            (try store.heldFileBytes(), try store.fileRules().rules)
        }
        let (unfinished, freeBytes) = try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) { return (try files.unfinishedBytes(), try files.freeBytes()) } catch {
                throw EarshotError(error)
            }
        }
        return FileUsage(
            fileCount: held.count, byteCount: held.bytes + unfinished, quotaBytes: rules.quotaBytes,
            freeBytes: freeBytes)
    }

    private static func unknown(_ fileID: FileID) -> EarshotError {
        EarshotError(.unknownFile, "no message that is here brings along the file \(fileID)")
    }

    /// - Returns: a part of a file's content.
    /// - Parameters:
    ///   - fileID: a file that is held.
    ///   - range: of bytes; what lies behind the file's end is left out.
    /// - Throws: `EarshotError` `fileMissing` if it is not here, or not whole; `unusableFile`.
    public func bytes(of fileID: FileID, _ range: Range<Int>) async throws(EarshotError) -> [UInt8] {
        guard let file = try await held(fileID) else { throw Self.missing(fileID) }
        let range = range.clamped(to: 0..<Int(file.shape.byteCount))
        return try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) { return try file.bytes(at: range) } catch { throw EarshotError(error) }
        }
    }

    private static func missing(_ fileID: FileID) -> EarshotError {
        EarshotError(.fileMissing, "the file \(fileID) is not here yet")
    }

    /// What picture a file is, by its content and not by what its author says. Nothing of it is decoded.
    /// - Throws: `EarshotError` `notAPicture` for what is none of `Picture.Format`; `pictureTooLarge` for one that is larger than
    ///   `Limits.shownPictureBytes`, or would be larger than `Limits.shownPicturePixels` once it is decoded; `fileMissing`,
    ///   `unusableFile`.
    public func picture(of fileID: FileID) async throws(EarshotError) -> Picture {
        guard let file = try await held(fileID) else { throw Self.missing(fileID) }
        return try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) { return try file.picture() } catch { throw EarshotError(error) }
        }
    }

    /// Writes a copy of a file into a folder. A file of that name which is there is not overwritten: the copy is then called
    /// `name (2)`, and so on. Where the sender's name would do something in a folder, the copy's has `_`: at its beginning for a dot
    /// or a dash, and for characters that turn the direction of text, are never seen, or mean something in a path.
    /// - Returns: the path of the copy.
    /// - Throws: `EarshotError` `fileMissing` if it is not here, or not whole; `unusableFile`, `storeFull`.
    public func save(_ attachment: Attachment, to folder: String) async throws(EarshotError) -> String {
        guard try await held(attachment.fileID) != nil else { throw Self.missing(attachment.fileID) }
        let files = node.shell.storage.fileDisk.files
        return try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) {
                return try files.save(attachment.fileID, as: SavedName(attachment.name), in: folder)
            } catch { throw EarshotError(error, path: folder) }
        }
    }

    private func held(_ fileID: FileID) async throws(EarshotError) -> HeldFile? {
        let files = node.shell.storage.fileDisk.files
        return try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) { return try files.held(fileID) } catch { throw EarshotError(error) }
        }
    }

    // MARK: - Fetching

    /// Fetches a file, whatever its size and whoever sent it. Of one that is here, the copies that are owed are tried again.
    /// - Throws: `EarshotError` `unknownFile` if no message brings it along; `storeFull`, `storeUnavailable`, `stopped`.
    public func fetch(_ fileID: FileID) async throws(EarshotError) { try await decide(fileID, .wanted) }

    /// Does not fetch a file, or not any more, and drops what came of it. One that is here whole stays.
    /// - Throws: as `fetch`.
    public func decline(_ fileID: FileID) async throws(EarshotError) { try await decide(fileID, .declined) }

    private func decide(_ fileID: FileID, _ state: FileRecord.State) async throws(EarshotError) {
        let (store, now) = (node.store, node.environment.clock.now.wallClock)
        let (record, messages) = try await node.readStore { () throws(StoreError) in
            (try store.file(fileID), try store.messages(with: fileID))
        }
        guard record?.state != .held else {
            // Copies of it may still be owed.
            if state == .wanted { node.fileKeeper.retryCopies() }
            return
        }
        guard let file = messages.first else { throw Self.unknown(fileID) }
        try await node.writingHome { () throws(EarshotError) in
            do throws(FilesError) {
                try Self.note(fileID, byteCount: file.byteCount, state, in: store, at: now)
            } catch { throw EarshotError(error) }
        }
        if state == .declined {
            await node.shell.stopFetching(fileID, isKept: false)
            _ = node.fileKeeper.ended(fileID)
            await node.shell.post(.fileUpdated(FileUpdate(fileID, byteCount: file.byteCount, .declined)))
        }
        node.fileKeeper.look()
    }

    /// Removes a content from this disk, and does not fetch it again by itself. The messages that bring it along stay, and as long
    /// as somebody else has it, it can be fetched again.
    /// - Throws: `EarshotError` `unknownFile` if no message brings it along, and it was not added; `unusableFile`,
    ///   `storeUnavailable`, `stopped`.
    public func remove(_ fileID: FileID) async throws(EarshotError) {
        let (disk, now) = (node.shell.storage.fileDisk, node.environment.clock.now.wallClock)
        let byteCount = try await update(of: fileID).byteCount
        await node.shell.stopFetching(fileID, isKept: false)
        _ = node.fileKeeper.ended(fileID)
        try await node.writingHome { () throws(EarshotError) in
            do throws(FilesError) {
                try disk.remove(FileRecord(fileID, byteCount: byteCount, .declined, changedAt: now))
            } catch { throw EarshotError(error) }
        }
        await node.shell.post(.fileUpdated(FileUpdate(fileID, byteCount: byteCount, .declined)))
    }

    /// Notes a file that is here already as held, such as one that this node's user has sent before.
    /// - Returns: whether it is here.
    func take(_ fileID: FileID, byteCount: UInt64) async throws(EarshotError) -> Bool {
        guard try await held(fileID)?.shape.byteCount == byteCount else { return false }
        let (store, now) = (node.store, node.environment.clock.now.wallClock)
        try await node.writingHome { () throws(EarshotError) in
            do throws(FilesError) { try Self.note(fileID, byteCount: byteCount, .held, in: store, at: now) } catch {
                throw EarshotError(error)
            }
        }
        await node.shell.post(.fileUpdated(FileUpdate(fileID, byteCount: byteCount, .held)))
        return true
    }
}

extension EarshotError {
    init(_ error: FilesError, path: String? = nil) {
        let code: Code =
            switch error.code {
            case .full: .storeFull
            case .tooLarge: .fileTooLarge
            case .changed: .fileChanged
            case .notAPicture: .notAPicture
            case .pictureTooLarge: .pictureTooLarge
            default: .unusableFile
            }
        self.init(code, error.message, .init(path: path, systemError: error.systemError), cause: error)
    }
}
