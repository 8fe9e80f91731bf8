import EarshotModel
import EarshotProtocol

/// A program on a node that answers each message once, and sends some of its own, each with a key or for later.
struct SimulatedProgram {
    /// What the program has asked its node, and waits for.
    enum Step {
        case consumer
        case plan
        case acknowledge(Acknowledgement)
        case own(OwnMessage)
    }

    struct Acknowledgement {
        let through: Int64
        var replies: [Reply]
    }

    struct Reply {
        let message: MessageID
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
    /// Whether it repeats what it was already told is done.
    var repeats: Acknowledgement?

    mutating func nodeEnded() {
        for case .own(let message) in steps.values { own.append(message) }
        own.sort { $0.key < $1.key }
        steps = [:]
        isReading = false
    }
}
