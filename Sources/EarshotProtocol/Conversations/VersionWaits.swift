import DequeModule
import EarshotModel

/// Frames of messages that wait until the control entries which their authors knew have come. What comes behind one in the
/// same log, over the same link, waits with it.
///
/// Frames that wait are not acknowledged, so a sender's window bounds them; there is a limit for all links together, too.
struct VersionWaits: Sendable {
    private struct Waiting: Sendable {
        let connectionID: ConnectionID
        let frame: EntriesFrame
    }

    private var waiting: Deque<Waiting> = []
    private(set) var bytes = 0

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    func isWaiting(_ log: LogDescription, on connectionID: ConnectionID) -> Bool {
        waiting.contains { $0.connectionID == connectionID && $0.frame.log == log }
    }

    /// - Throws: `ProtocolError` `overloaded`, for which the link is to be closed: the frame comes again.
    mutating func add(_ frame: EntriesFrame, on connectionID: ConnectionID) throws(ProtocolError) {
        guard waiting.count < Limits.waitingFrames, bytes + frame.windowBytes <= Limits.waitingFrameBytes else {
            throw ProtocolError(
                .overloaded, "more messages came than can wait for what says who belongs to their conversation",
                closeReason: .storageFailure)
        }
        waiting.append(Waiting(connectionID: connectionID, frame: frame))
        bytes += frame.windowBytes
    }

    /// The frames of a conversation, in the order in which they came.
    mutating func take(of conversationID: ConversationID) -> [(connectionID: ConnectionID, frame: EntriesFrame)] {
        let taken = waiting.filter { $0.frame.log.conversationID == conversationID }
        waiting.removeAll { $0.frame.log.conversationID == conversationID }
        bytes -= taken.reduce(0) { $0 + $1.frame.windowBytes }
        return taken.map { ($0.connectionID, $0.frame) }
    }

    /// A link is over: what came on it comes again on the next.
    mutating func end(_ connectionID: ConnectionID) {
        bytes -= waiting.reduce(0) { $0 + ($1.connectionID == connectionID ? $1.frame.windowBytes : 0) }
        waiting.removeAll { $0.connectionID == connectionID }
    }
}
