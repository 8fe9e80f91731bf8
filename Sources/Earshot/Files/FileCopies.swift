import DequeModule
import EarshotStore
import Logging
import Synchronization

/// Puts copies of files that came into the folders that rules name, each content once into each folder.
///
/// A copy is owed from the moment at which its file is fetched. The disk knows that: a folder that takes none for a while, or a
/// process that ends, costs nobody a copy.
final class FileCopies: Sendable {
    private struct Copied: Hashable {
        let fileID: FileID
        let folder: String
    }

    private struct State {
        /// Files that have come since copies were put into folders.
        var arrived: [FileID] = []
        /// What was put where since the node began, and in which order. The oldest are forgotten.
        var copied: Set<Copied> = []
        var order: Deque<Copied> = []
        /// What copies have taken since the node began, in bytes. Where they went later is not known.
        var byteCount: UInt64 = 0
        /// When all that are owed are tried again: an uptime.
        var retryAt = Int64.min
    }

    private let state = Mutex(State())

    /// After so long, folders that took no copies are tried again.
    private static let patience = Duration.seconds(30)

    /// A file is here that was fetched.
    func arrived(_ fileID: FileID) { state.withLock { $0.arrived.append(fileID) } }

    /// All that are owed are tried again at the next look.
    func retry() { state.withLock { $0.retryAt = .min } }

    func putThoseThatAreDue(of node: Node) async throws(EarshotError) {
        let now = node.environment.clock.now.uptime
        let (arrived, retries) = state.withLock { state in
            defer { state.arrived = [] }
            guard state.retryAt <= now else { return (state.arrived, false) }
            state.retryAt = now + Self.patience.milliseconds
            return (state.arrived, true)
        }
        guard retries || !arrived.isEmpty else { return }
        let rules = try await node.files.rulesInForce()
        for fileID in arrived { try await owe(fileID, by: rules, of: node) }
        let came = Set(arrived)
        for copy in try await node.files.owedCopies() where retries || came.contains(copy.attachment.fileID) {
            await put(copy, by: rules, of: node)
        }
    }

    /// A file is here: puts the copies that rules ask for into their folders.
    func put(_ fileID: FileID, by rules: FileRulesInForce, of node: Node) async throws(EarshotError) {
        try await owe(fileID, by: rules, of: node)
        for copy in try await node.files.owedCopies() where copy.attachment.fileID == fileID {
            await put(copy, by: rules, of: node)
        }
    }

    /// Notes the copies of a file that rules ask for. However often messages name a content, and however often it is found to be
    /// here, a folder gets it once.
    func owe(_ fileID: FileID, by rules: FileRulesInForce, of node: Node) async throws(EarshotError) {
        guard rules.rules.rules.contains(where: { if case .fetch(_?) = $0.decision { true } else { false } }) else {
            return
        }
        let (store, now) = (node.store, node.environment.clock.now.wallClock)
        let files = try await node.readStore { () throws(StoreError) in try store.messages(with: fileID) }
        for file in files where file.senderID != node.userID {
            guard case .fetch(let folder?) = await node.files.decision(on: file, by: rules),
                !isCopied(fileID, to: folder)
            else { continue }
            let copy = OwedCopy(file.attachment, in: folder, since: now)
            let isNoted = try await write(of: node) { () throws(StoreError) in
                try store.owe(copy, limit: Limits.owedCopies)
            }
            guard !isNoted else { continue }
            let reason =
                "\(Limits.owedCopies) copies wait already: see \"earshot files\", and save this file yourself"
            await tell(.failed(reason: reason), of: copy, node)
        }
    }

    /// Puts a copy into its folder, or notes why it is not there. One that fails holds up no other.
    private func put(_ owed: OwedCopy, by rules: FileRulesInForce, of node: Node) async {
        let store = node.store
        do throws(EarshotError) {
            guard !isCopied(owed.attachment.fileID, to: owed.folder) else {
                return try await write(of: node) { () throws(StoreError) in try store.settle(owed) }
            }
            try await checkRoom(for: owed.attachment, by: rules.rules, of: node)
            let path = try await node.files.save(owed.attachment, to: owed.folder)
            noteCopied(owed)
            // A process that ends before this makes the copy once more, under another name: better than not at all.
            try await write(of: node) { () throws(StoreError) in try store.settle(owed) }
            await tell(.saved(path: path), of: owed, node)
        } catch {
            // Once for each reason, and not each time that it is tried.
            guard error.message != owed.reason else { return }
            await note(owed, failed: error.message, of: node)
            await tell(.failed(reason: error.message), of: owed, node)
        }
    }

    private func note(_ owed: OwedCopy, failed reason: String, of node: Node) async {
        let store = node.store
        do throws(EarshotError) {
            try await write(of: node) { () throws(StoreError) in try store.note(owed, failed: reason) }
        } catch {
            node.configuration.logger.warning(
                "it cannot be noted why a copy is owed", metadata: ["folder": "\(owed.folder)", "error": "\(error)"])
        }
    }

    private func tell(_ copy: FileCopy, of owed: OwedCopy, _ node: Node) async {
        if case .failed(let reason) = copy {
            node.configuration.logger.warning(
                "a file cannot be put into its folder", metadata: ["folder": "\(owed.folder)", "error": "\(reason)"])
        }
        let (fileID, byteCount) = (owed.attachment.fileID, owed.attachment.byteCount)
        await node.shell.post(.fileUpdated(FileUpdate(fileID, byteCount: byteCount, .held, copy: copy)))
    }

    private func write<Answer: Sendable>(
        of node: Node, _ body: @escaping @Sendable () throws(StoreError) -> Answer
    ) async throws(EarshotError) -> Answer {
        try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { return try body() } catch { throw EarshotError(error) }
        }
    }

    private func isCopied(_ fileID: FileID, to folder: String) -> Bool {
        state.withLock { $0.copied.contains(Copied(fileID: fileID, folder: folder)) }
    }

    private func noteCopied(_ owed: OwedCopy) {
        let copy = Copied(fileID: owed.attachment.fileID, folder: owed.folder)
        state.withLock { state in
            state.byteCount += owed.attachment.byteCount
            guard state.copied.insert(copy).inserted else { return }
            state.order.append(copy)
            if state.order.count > Limits.rememberedCopies { state.copied.remove(state.order.removeFirst()) }
        }
    }

    /// Copies count in what all files may have.
    private func checkRoom(
        for attachment: Attachment, by rules: FileRules, of node: Node
    ) async throws(EarshotError) {
        guard let quota = rules.quotaBytes else { return }
        let taken = try await node.files.usage().byteCount + state.withLock { $0.byteCount }
        guard taken + attachment.byteCount > quota else { return }
        throw EarshotError(
            .storeFull,
            "the files here and their copies have \(taken) bytes, and the quota is \(quota): raise it, or remove some, "
                + "and save this one yourself")
    }
}
