import EarshotStore
import Logging
import Synchronization

/// Puts copies of files that came into the folders that rules name, each content once into each folder.
final class FileCopies: Sendable {
    private struct State {
        /// Files that have come since copies were put into folders.
        var arrived: [FileID] = []
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
            // However often messages name a content, a folder gets it once.
            var folders: Set<String> = []
            for file in files where file.senderID != node.userID {
                guard case .fetch(let folder?) = await node.files.decision(on: file, by: rules),
                    folders.insert(folder).inserted
                else { continue }
                await put(file, into: folder, by: rules, of: node)
            }
        } catch {
            node.configuration.logger.warning(
                "the messages that bring a file along cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    private func put(_ file: AttachedFile, into folder: String, by rules: FileRules, of node: Node) async {
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
