import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation

/// The result of erasing contents.
public struct Erasure: Sendable, Hashable {
    /// Messages whose contents this erasure removed.
    public let erasedCount: Int
    /// Own messages that were kept because they are not yet delivered: the first `listedLimit` of them.
    public let kept: [MessageID]
    /// How many messages were kept.
    public let keptCount: Int
    /// Whether the contents are overwritten in the databases' files. They are not if somebody was reading all the time,
    /// or if the disk is full. Then the next erasure overwrites them, or the node does when it stops.
    public internal(set) var isOverwritten: Bool

    /// The greatest number of messages that are listed.
    public static let listedLimit = 100
}

extension Messages {
    /// Erases the contents of messages on this machine, and has the user's other devices do the same: of all of them or
    /// of none. The recipients keep what they have.
    ///
    /// A device that is not there now erases them when it hears of it; what it still has to deliver it keeps until then.
    /// A message keeps its place, and its hash stays in the chain, so the history can still be proved.
    /// - Throws: `EarshotError` `unknownMessage`; `undelivered` for an own message whose content may still have to leave.
    @discardableResult
    public func erase(_ messageIDs: [MessageID]) async throws(EarshotError) -> Erasure {
        let (store, deviceID, shell) = (node.store, node.deviceID, node.shell)
        let (erasure, runs) = try await node.writingHome {
            () throws(EarshotError) -> Result<(Erasure, [ErasedRun]), EarshotError> in
            let outcome: DeletionOutcome
            do throws(StoreError) {
                outcome = try store.deleteContents(
                    of: messageIDs, deviceID: deviceID,
                    withheld: { shell.withholdDeleted($0) })
            } catch { throw EarshotError(error) }
            if let failure = EarshotError(outcome) { return .failure(failure) }
            return .success((try Erasure(outcome, keptCount: 0, in: store), outcome.runs))
        }.get()
        try await shell.tellErased(runs)
        return await erasure.erased(from: node)
    }
}

extension Conversation {
    /// Erases the contents of all messages of the conversation on this machine, and has the user's other devices do the
    /// same. Its drafts are discarded. Each keeps messages of its own that are not yet delivered; those that this device has kept stay on all.
    ///
    /// A long conversation is erased in steps, so that sending and receiving go on meanwhile.
    /// - Throws: `EarshotError` `storeFull` and others of the disk. If it failed between two steps,
    ///   `parameters.erasedCount` says how many messages were erased before: they stay erased, and whoever asks again has
    ///   the rest erased.
    @discardableResult
    public func eraseContents() async throws(EarshotError) -> Erasure {
        let (store, deviceID, shell) = (node.store, node.deviceID, node.shell)
        let conversationID = self.conversationID
        try await shell.discardDrafts(in: conversationID)
        let (erasure, runs) = try await node.writingHome { () throws(EarshotError) -> (Erasure, [ErasedRun]) in
            let (outcome, keptCount, failure) = store.deleteContents(
                of: conversationID, deviceID: deviceID, listed: Erasure.listedLimit,
                withheld: { shell.withholdDeleted($0) })
            if let failure { throw EarshotError(failure).after(erasing: outcome.deletedCount) }
            return (try Erasure(outcome, keptCount: keptCount, in: store), outcome.runs)
        }
        try await shell.tellErased(runs)
        return await erasure.erased(from: node)
    }
}

extension Erasure {
    fileprivate init(_ outcome: DeletionOutcome, keptCount: Int, in store: Store) throws(EarshotError) {
        erasedCount = outcome.deletedCount
        kept = outcome.undelivered
        self.keptCount = keptCount
        do throws(StoreError) { isOverwritten = try Self.overwrite(in: store) } catch {
            throw EarshotError(error).after(erasing: outcome.deletedCount)
        }
    }

    /// Nothing may be found by what was erased.
    fileprivate func erased(from node: Node) async -> Erasure {
        var erasure = self
        // A node that has stopped erases it from the index when it starts again: the home may be another one's by now.
        let lock = await node.shell.lock
        defer { withExtendedLifetime(lock) {} }
        if lock == nil {
            erasure.isOverwritten = false
        } else if await !node.search.eraseGone() {
            erasure.isOverwritten = false
        }
        return erasure
    }

    /// Most readers finish in a moment, but a copy of the whole history takes longer.
    private static let overwritingTries = 20
    private static let pause = 0.05

    /// Waits for readers here and not in the database, where commits would wait too.
    private static func overwrite(in store: Store) throws(StoreError) -> Bool {
        for attempt in 1...overwritingTries {
            switch try store.overwriteDeleted() {
            case .done: return true
            case .waitsForSpace: return false
            case .waitsForReaders: if attempt < overwritingTries { Thread.sleep(forTimeInterval: pause) }
            }
        }
        return false
    }
}

extension EarshotError {
    /// The same error, which came after some messages had been erased for good.
    fileprivate func after(erasing count: Int) -> EarshotError {
        guard count > 0 else { return self }
        var parameters = parameters
        parameters.erasedCount = count
        let erased =
            count == 1
            ? "1 message was erased before that, and stays erased"
            : "\(count) messages were erased before that, and stay erased"
        return EarshotError(code, "\(message); \(erased)", parameters, cause: cause)
    }

    /// The reason why nothing was deleted; `nil` if something was.
    fileprivate init?(_ outcome: DeletionOutcome) {
        if let messageID = outcome.unknown.first {
            self.init(.unknownMessage, "there is no message \(messageID)", .init(messageID: messageID))
        } else if let messageID = outcome.undelivered.first {
            self.init(
                .undelivered, "the message \(messageID) is not delivered yet, and its content is still needed",
                .init(messageID: messageID))
        } else {
            return nil
        }
    }
}
