import DequeModule
import EarshotModel

/// Requests to take messages back that wait while logs of this node come back: only after that it is
/// known whether the messages were delivered.
struct HeldCancels: Sendable {
    struct Cancel: Sendable {
        let requestID: RequestID
        let conversationID: ConversationID
        /// As it is called now: it may move to another log meanwhile.
        fileprivate(set) var messageID: MessageID
    }

    /// In the order in which they came.
    private var waiting: Deque<Cancel> = []

    var isEmpty: Bool { waiting.isEmpty }

    /// - Throws: `ProtocolError` `overloaded`.
    mutating func add(_ messageID: MessageID, in conversationID: ConversationID, requestID: RequestID)
        throws(ProtocolError)
    {
        guard waiting.count < Limits.heldCancels else {
            throw ProtocolError(
                .overloaded,
                "\(waiting.count) messages wait to be taken back until users have given back earlier ones of this node; "
                    + "try again in a moment")
        }
        waiting.append(Cancel(requestID: requestID, conversationID: conversationID, messageID: messageID))
    }

    /// Messages have other names now.
    mutating func rename(_ runs: [RenamedMessages]) {
        guard !runs.isEmpty else { return }
        for index in waiting.indices {
            for run in runs {
                guard let messageID = run.newID(of: waiting[index].messageID) else { continue }
                waiting[index].messageID = messageID
                break
            }
        }
    }

    /// Those that wait no longer, in the order in which they came.
    mutating func release(where isHeld: (ConversationID) -> Bool) -> [Cancel] {
        let released = waiting.filter { !isHeld($0.conversationID) }
        if !released.isEmpty { waiting.removeAll { !isHeld($0.conversationID) } }
        return Array(released)
    }
}
