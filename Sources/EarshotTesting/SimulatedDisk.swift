import Earshot
import EarshotModel
import EarshotProtocol
import EarshotStore
import Synchronization

/// The disk of one life of a host: the real database, which answers in the network's time and can fail.
struct SimulatedDisk: Disk {
    let store: Store
    let timeline: Timeline
    let process: SimulatedProcess

    func commit(
        _ commit: Commit, isAlone: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let result = Result { () throws(StoreError) in
            if let fault = process.fault(path: store.path) { throw fault }
            try store.commit(commit)
        }
        timeline.schedule { completion(result) }
    }

    func read(_ read: EntriesRead, completion: @escaping @Sendable (Result<[EntryRecord], StoreError>) -> Void) {
        let result = Result { () throws(StoreError) in try store.entries(of: read) }
        timeline.schedule { completion(result) }
    }

    func readChains(_ read: ChainsRead, completion: @escaping @Sendable (Result<BranchChains, StoreError>) -> Void) {
        let result = Result { () throws(StoreError) in try store.chains(of: read) }
        timeline.schedule { completion(result) }
    }

    func findExpired(
        in logID: LogID, after sequence: UInt64, by clock: ExpiryClock,
        completion: @escaping @Sendable (Result<ExpiredEntries, StoreError>) -> Void
    ) {
        let result = Result { () throws(StoreError) in try store.expired(in: logID, after: sequence, by: clock) }
        timeline.schedule { completion(result) }
    }

    func findKeys(_ keys: [EntryKey], completion: @escaping @Sendable (Result<[KeyedEntry], StoreError>) -> Void) {
        let result = Result { () throws(StoreError) in try store.entries(with: keys) }
        timeline.schedule { completion(result) }
    }

    /// Every request here is answered at once, so there is nothing to wait for.
    func drain() async {}
}

/// One life of a node's process. Everything that it does ends with it.
final class SimulatedProcess: Sendable {
    private struct State {
        var isDead = false
        var isDiskFull = false
    }

    private let state = Mutex(State())

    var isDead: Bool { state.withLock(\.isDead) }

    /// From now on nothing that it does reaches the disk or the network.
    func die() { state.withLock { $0.isDead = true } }

    func setDisk(isFull: Bool) { state.withLock { $0.isDiskFull = isFull } }

    var isDiskFull: Bool { state.withLock(\.isDiskFull) }

    /// Why the disk takes no writes; `nil` if it does.
    func fault(path: String) -> StoreError? {
        state.withLock { state in
            if state.isDead { return StoreError(code: .unavailable, message: "the process of \(path) has crashed") }
            return state.isDiskFull ? StoreError(code: .full, message: "no space is left on the disk of \(path)") : nil
        }
    }
}
