import Dispatch
package import EarshotModel
package import EarshotProtocol
package import EarshotStore
import NIOCore
import Synchronization

/// A running node's disk. Each answer comes on the node's event loop, and never before the call returns, unless said otherwise.
package protocol Disk: Sendable {
    /// Of each branch what it has at some places.
    typealias BranchChains = [LogID: [UInt64: ChainHash]]
    typealias ExpiredEntries = (sequences: [UInt64], nextExpiry: Int64)

    /// Writes all of it or nothing. Success means that it survives a loss of power. Called on the node's event loop.
    /// - Parameters:
    ///   - isAlone: whether nothing else waits to be written. Then it may be written at once, while the loop waits.
    ///   - completion: comes on any thread, as soon as it is known, and maybe before the call returns.
    func commit(_ commit: Commit, isAlone: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    func read(_ read: EntriesRead, completion: @escaping @Sendable (Result<[EntryRecord], StoreError>) -> Void)

    func readChains(_ read: ChainsRead, completion: @escaping @Sendable (Result<BranchChains, StoreError>) -> Void)

    func findExpired(
        in logID: LogID, after sequence: UInt64, by clock: ExpiryClock,
        completion: @escaping @Sendable (Result<ExpiredEntries, StoreError>) -> Void)

    /// Finds this node's own entries by their keys.
    func findKeys(_ keys: [EntryKey], completion: @escaping @Sendable (Result<[KeyedEntry], StoreError>) -> Void)

    /// Returns when all requested reads are done.
    func drain() async
}

/// The database. It commits on a thread of its own and reads on another. A small commit that is alone is written on the event
/// loop itself, as long as the disk is quick: two changes of thread take as long as the disk does.
final class StoreDisk: Disk {
    private let store: Store
    private let loop: any EventLoop
    private let reads = DispatchQueue(label: "earshot.reads")
    private let pace: Mutex<CommitPace>

    init(_ store: Store, loop: any EventLoop, pace: CommitPace = CommitPace()) {
        self.store = store
        self.loop = loop
        self.pace = Mutex(pace)
    }

    func commit(
        _ commit: Commit, isAlone: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let begin = ContinuousClock.now
        if isAlone, commit.isSmall, store.isIdle, pace.withLock({ $0.isQuick }) {
            let result = Result { () throws(StoreError) in try store.commit(commit) }
            pace.withLock { $0.note(.now - begin) }
            completion(result)
        } else {
            store.commit(commit) { [self] result in
                pace.withLock { $0.note(.now - begin) }
                completion(result)
            }
        }
    }

    func read(_ read: EntriesRead, completion: @escaping @Sendable (Result<[EntryRecord], StoreError>) -> Void) {
        reads.async { [store, loop] in
            let result = Result { () throws(StoreError) in try store.entries(of: read) }
            loop.execute { completion(result) }
        }
    }

    func readChains(_ read: ChainsRead, completion: @escaping @Sendable (Result<BranchChains, StoreError>) -> Void) {
        reads.async { [store, loop] in
            let result = Result { () throws(StoreError) in try store.chains(of: read) }
            loop.execute { completion(result) }
        }
    }

    func findExpired(
        in logID: LogID, after sequence: UInt64, by clock: ExpiryClock,
        completion: @escaping @Sendable (Result<ExpiredEntries, StoreError>) -> Void
    ) {
        reads.async { [store, loop] in
            let result = Result { () throws(StoreError) in try store.expired(in: logID, after: sequence, by: clock) }
            loop.execute { completion(result) }
        }
    }

    func findKeys(_ keys: [EntryKey], completion: @escaping @Sendable (Result<[KeyedEntry], StoreError>) -> Void) {
        reads.async { [store, loop] in
            let result = Result { () throws(StoreError) in try store.entries(with: keys) }
            loop.execute { completion(result) }
        }
    }

    func drain() async { await withCheckedContinuation { done in reads.async { done.resume() } } }
}

extension Store {
    package func chains(of read: ChainsRead) throws(StoreError) -> [LogID: [UInt64: ChainHash]] {
        var chains: [LogID: [UInt64: ChainHash]] = [:]
        for logID in read.logIDs { chains[logID] = try self.chains(of: logID, at: read.sequences) }
        return chains
    }

    package func entries(of read: EntriesRead) throws(StoreError) -> [EntryRecord] {
        try entries(of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
    }
}
