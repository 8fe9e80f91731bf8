import DequeModule
import EarshotStore
import Logging
import Synchronization

/// Puts copies of files that came into the folders that rules name, each content once into each folder.
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
    }

    private let state = Mutex(State())

    /// A file is here that was fetched.
    func arrived(_ fileID: FileID) { state.withLock { $0.arrived.append(fileID) } }

    func putThoseThatAreDue(of node: Node) async throws(EarshotError) {
        guard state.withLock({ !$0.arrived.isEmpty }) else { return }
        let rules = try await node.files.rules()
        let arrived = state.withLock { state in
            defer { state.arrived = [] }
            return state.arrived
        }
        for fileID in arrived { await put(fileID, by: rules, of: node) }
    }

    /// A file is here: puts the copies that rules ask for into their folders.
    func put(_ fileID: FileID, by rules: FileRules, of node: Node) async {
        guard rules.rules.contains(where: { if case .fetch(_?) = $0.decision { true } else { false } }) else { return }
        let store = node.store
        do throws(EarshotError) {
            let files = try await node.readStore { () throws(StoreError) in try store.messages(with: fileID) }
            var failed: [Copied] = []
            for file in files where file.senderID != node.userID {
                guard case .fetch(let folder?) = await node.files.decision(on: file, by: rules) else { continue }
                let copy = Copied(fileID: fileID, folder: folder)
                guard begins(copy) else { continue }
                if await !put(file, into: folder, by: rules, of: node) { failed.append(copy) }
            }
            forget(failed)
        } catch {
            node.configuration.logger.warning(
                "the messages that bring a file along cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    /// However often messages name a content, and however often it is found to be here, a folder gets it once.
    private func begins(_ copy: Copied) -> Bool {
        state.withLock { state in
            guard state.copied.insert(copy).inserted else { return false }
            state.order.append(copy)
            if state.order.count > Limits.rememberedCopies { state.copied.remove(state.order.removeFirst()) }
            return true
        }
    }

    /// Another message may bring them along when the folder takes them.
    private func forget(_ failed: [Copied]) {
        guard !failed.isEmpty else { return }
        state.withLock { state in
            state.copied.subtract(failed)
            state.order.removeAll { failed.contains($0) }
        }
    }

    /// - Returns: whether it is there.
    private func put(_ file: AttachedFile, into folder: String, by rules: FileRules, of node: Node) async -> Bool {
        let copy: FileCopy
        do throws(EarshotError) {
            try await checkRoom(for: file, by: rules, of: node)
            copy = .saved(path: try await node.files.save(file.attachment, to: folder))
            state.withLock { $0.byteCount += file.byteCount }
        } catch {
            copy = .failed(reason: error.message)
            node.configuration.logger.warning(
                "a file cannot be put into its folder",
                metadata: ["folder": "\(folder)", "error": "\(error.message)"])
        }
        await node.shell.post(.fileUpdated(FileUpdate(file.fileID, byteCount: file.byteCount, .held, copy: copy)))
        if case .saved = copy { return true }
        return false
    }

    /// Copies count in what all files may have.
    private func checkRoom(
        for file: AttachedFile, by rules: FileRules, of node: Node
    ) async throws(EarshotError) {
        guard let quota = rules.quotaBytes else { return }
        let taken = try await node.files.usage().byteCount + state.withLock { $0.byteCount }
        guard taken + file.byteCount > quota else { return }
        throw EarshotError(
            .storeFull,
            "the files here and their copies have \(taken) bytes, and the quota is \(quota): raise it, or remove some, "
                + "and save this one yourself")
    }
}
