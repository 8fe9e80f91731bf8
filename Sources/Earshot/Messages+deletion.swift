import EarshotProtocol
import EarshotStore
import Foundation

/// What erasing contents came to.
public struct Erasure: Sendable, Hashable {
    /// Messages whose contents are gone now and were there before.
    public let erasedCount: Int
    /// Own messages that were kept because they are not delivered yet: the first `listedLimit` of them.
    public let kept: [MessageID]
    /// How many were kept.
    public let keptCount: Int
    /// Whether the contents are overwritten in the database's files; `false` where somebody was reading all the time, or
    /// the disk is full. Then the next erasure overwrites them, or the end of the node.
    public let isOverwritten: Bool

    /// Messages that are listed at the most.
    public static let listedLimit = 100
}

extension Messages {
    /// Erases the contents of messages, here and nowhere else: all of them or none.
    ///
    /// A message keeps its place: its hash stays in the chain, so that the history is as provable as before.
    /// - Throws: `EarshotError` `unknownMessage`; `undelivered` for an own message whose content may still have to leave.
    @discardableResult
    public func erase(_ messageIDs: [MessageID]) async throws(EarshotError) -> Erasure {
        let (store, deviceID, shell) = (node.store, node.deviceID, node.shell)
        return try await node.writingHome { () throws(EarshotError) -> Result<Erasure, EarshotError> in
            do throws(StoreError) {
                let outcome = try store.deleteContents(
                    of: messageIDs, deviceID: deviceID, hash: { .of(body: $0) },
                    withheld: { shell.withholdDeleted($0) })
                if let failure = EarshotError(outcome) { return .failure(failure) }
                return .success(try Erasure(outcome, keptCount: 0, in: store))
            } catch { throw EarshotError(error) }
        }.get()
    }
}

extension Conversation {
    /// Erases the contents of all messages here and nowhere else; own ones that are not delivered yet are kept.
    @discardableResult
    public func eraseContents() async throws(EarshotError) -> Erasure {
        let (store, deviceID, shell) = (node.store, node.deviceID, node.shell)
        let conversationID = self.conversationID
        return try await node.writingHome { () throws(EarshotError) -> Erasure in
            do throws(StoreError) {
                let (outcome, keptCount) = try store.deleteContents(
                    of: conversationID, deviceID: deviceID, listed: Erasure.listedLimit,
                    hash: { .of(body: $0) }, withheld: { shell.withholdDeleted($0) })
                return try Erasure(outcome, keptCount: keptCount, in: store)
            } catch { throw EarshotError(error) }
        }
    }
}

extension Erasure {
    fileprivate init(_ outcome: DeletionOutcome, keptCount: Int, in store: Store) throws(StoreError) {
        erasedCount = outcome.deletedCount
        kept = outcome.undelivered
        self.keptCount = keptCount
        isOverwritten = try Self.overwrite(in: store)
    }

    /// Most readers are gone in a moment; whoever copies the whole history is not.
    private static let overwritingTries = 20
    private static let pause = 0.05

    /// Waits for readers here, and not in the database, where commits would wait too.
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
    /// Why nothing was deleted, if that is so.
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
