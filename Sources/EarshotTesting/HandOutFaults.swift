import Earshot
import Synchronization

/// What is to go wrong between the inbox of a node and its consumers, once for each.
final class HandOutFaults: InboxFaults {
    typealias Happened = @Sendable () async -> Void

    enum Fault: Sendable {
        /// What the consumer acknowledges next is handed out to it once more, when it asks for messages again.
        case duplicate
        /// The node crashes when the consumer acknowledges next, before the acknowledgement is on the disk.
        case crash
    }

    private struct Armed: Sendable {
        let fault: Fault
        let happened: Happened
        /// Where the consumer was when it acknowledged for the first time since.
        var cursor: InboxCursor?
    }

    private let node: @Sendable () -> Node?
    private let crash: @Sendable () async -> Void
    private let armed = Mutex<[String: Armed]>([:])

    /// - Parameters:
    ///   - node: the node that runs now.
    ///   - crash: ends it as a kill does.
    init(node: @escaping @Sendable () -> Node?, crash: @escaping @Sendable () async -> Void) {
        self.node = node
        self.crash = crash
    }

    /// - Parameter happened: called when the fault has happened.
    func arm(_ fault: Fault, for consumer: String, happened: @escaping Happened) {
        armed.withLock { $0[consumer] = Armed(fault: fault, happened: happened) }
    }

    func willReceive(_ consumer: String) async throws(EarshotError) {
        guard let found = armed.withLock({ $0[consumer] }), let before = found.cursor, let node = node(),
            try await cursor(of: consumer) != before
        else { return }
        disarm(consumer)
        try await node.inbox.moveConsumer(consumer, to: before)
        await found.happened()
    }

    func willAcknowledge(_ consumer: String) async throws(EarshotError) {
        guard let found = armed.withLock({ $0[consumer] }) else { return }
        switch found.fault {
        case .duplicate:
            guard found.cursor == nil else { return }
            let cursor = try await cursor(of: consumer)
            armed.withLock { $0[consumer]?.cursor = cursor }
        case .crash:
            disarm(consumer)
            await crash()
            await found.happened()
            throw EarshotError(.stopped, "the node has crashed, as the test wants")
        }
    }

    private func cursor(of consumer: String) async throws(EarshotError) -> InboxCursor? {
        try await node()?.inbox.consumers().first { $0.name == consumer }?.cursor
    }

    private func disarm(_ consumer: String) { armed.withLock { $0[consumer] = nil } }
}
