import Synchronization

/// Which consumers are being read for, one reader each, and how far their messages have been looked through.
final class InboxReaders: Sendable {
    private struct State {
        var busy: Set<String> = []
        /// From a cursor to the place behind it up to which there is nothing for the consumer.
        var searched: [String: Searched] = [:]
    }

    struct Searched: Hashable {
        /// What was looked through.
        struct Part: Hashable {
            let cursor: Int64
            let includesAutomatic: Bool
            /// How often messages had come late when it was looked through: they have places in it.
            let lateContents: UInt64
        }

        let part: Part
        let through: Int64
    }

    private let state = Mutex(State())

    /// - Throws: `EarshotError` `consumerBusy`.
    func begin(_ consumer: String) throws(EarshotError) {
        guard state.withLock({ $0.busy.insert(consumer).inserted }) else {
            throw EarshotError(.consumerBusy, "somebody else reads for the consumer \(consumer) already")
        }
    }

    func end(_ consumer: String) { _ = state.withLock { $0.busy.remove(consumer) } }

    /// Where to look from, for a consumer.
    func start(_ consumer: String, in part: Searched.Part) -> Int64 {
        state.withLock { state in
            guard let searched = state.searched[consumer], searched.part == part else { return part.cursor }
            return searched.through
        }
    }

    func note(_ searched: Searched, for consumer: String) { state.withLock { $0.searched[consumer] = searched } }

    func forget(_ consumer: String) { _ = state.withLock { $0.searched.removeValue(forKey: consumer) } }
}
