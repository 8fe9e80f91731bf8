import EarshotModel
import EarshotProtocol

/// A program on a node that answers each message once, and sends some of its own, each with a key or for later.
struct SimulatedProgram {
    /// What the program has asked its node, and waits for.
    enum Step {
        case consumer
        case plan
        case acknowledge(Acknowledgement)
        case goBack(ConsumerChange)
        /// It could do nothing with the message at this place.
        case fail(Int64)
        case own(OwnMessage)
    }

    struct Acknowledgement {
        let through: Int64
        var replies: [Reply]
        /// Whether what it acknowledges is acknowledged already, without its answers.
        var isLate = false
    }

    struct Reply {
        let message: MessageID
        let place: Int64
        let recipientID: UserID
        let text: String
    }

    /// What the program sends by itself: the same text again and again until it hears that it is accepted.
    struct OwnMessage {
        let peer: Int
        let key: String
        let text: String
        /// How long after the first try it is due, in milliseconds of the host's clock; `nil` for at once.
        let delay: Int64?
        var notBefore: Int64?
    }

    static let consumer = "program"
    /// Marks an answer, and says what it answers.
    static let header = "auto-submitted"
    static let answerTo = "in-reply-to"

    var steps: [RequestID: Step] = [:]
    /// Whether it reads or answers just now.
    var isReading = false
    /// What it has yet to send by itself.
    var own: [OwnMessage] = []
    /// What was accepted of that.
    var accepted: Set<String> = []
    /// Messages whose senders could not be written to when they were to be answered.
    var unanswerable: Set<MessageID> = []
    /// What it acknowledges next, out of order.
    var late: Acknowledgement?
    /// Messages behind this place are acknowledged, but not all of them are answered: it goes back there.
    var owed: Int64?
    /// So many more hand-outs come to nothing.
    var failures = 0
    /// Whether it repeats what it was already told is done.
    var repeats: Acknowledgement?

    mutating func nodeEnded() {
        for case .own(let message) in steps.values { own.append(message) }
        own.sort { $0.key < $1.key }
        steps = [:]
        isReading = false
    }
}
