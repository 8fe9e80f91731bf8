import EarshotStore

/// What is done with files.
extension Files {
    /// Which files the node fetches by itself, and how much room all may take.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func rules() async throws(EarshotError) -> FileRules {
        let store = node.store
        return try await node.readStore { () throws(StoreError) in try store.fileRules().rules }
    }

    func rulesInForce() async throws(EarshotError) -> FileRulesInForce {
        let store = node.store
        return try await node.readStore { () throws(StoreError) in try store.fileRules() }
    }

    /// Sets the rules, in place of all that there were. One that was there before is for the files that it was for.
    /// - Parameters:
    ///   - rules: all of them, the first that is tried first; at most `Limits.fileRules`.
    ///   - areForWaiting: whether rules that are new are also for files whose messages are here already; else they are for
    ///     those that come from now on.
    /// - Throws: `EarshotError` `invalidRule`; `storeFull`, `storeUnavailable`, `stopped`.
    public func setRules(_ rules: FileRules, areForWaiting: Bool = false) async throws(EarshotError) {
        guard rules.rules.count <= Limits.fileRules else {
            throw EarshotError(
                .invalidRule, "there are at most \(Limits.fileRules) rules for files", .init(limit: Limits.fileRules))
        }
        for rule in rules.rules {
            do throws(FileRule.Invalid) { try rule.check() } catch { throw EarshotError(.invalidRule, "\(error)") }
        }
        let store = node.store
        try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { try store.note(rules, areForWaiting: areForWaiting) } catch {
                throw EarshotError(error)
            }
        }
        node.fileKeeper.retryCopies()
    }

    /// Copies of files that are here and that rules owe to folders, the oldest first.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func owedCopies() async throws(EarshotError) -> [OwedCopy] {
        let store = node.store
        return try await node.readStore { () throws(StoreError) in try store.owedCopies() }
    }

    /// What is done with a file that a message brings along.
    func decision(on file: AttachedFile, by rules: FileRulesInForce) async -> FileRule.Decision {
        guard file.senderID != node.userID else { return .fetch(folder: nil) }
        return rules.decision(
            on: file, isStranger: await node.shell.isStranger(file.senderID),
            smallBytes: node.configuration.fetchedFileBytes)
    }
}
