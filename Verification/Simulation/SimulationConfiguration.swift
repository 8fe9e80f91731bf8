import EarshotModel

/// What a simulation does to its nodes. All spans of time are virtual, in microseconds.
package struct SimulationConfiguration: Sendable {
    /// Which store the nodes have.
    package enum Storage: String, Sendable, CaseIterable {
        /// The real one in one seed of `realStoreOdds`, else the model.
        case mixed
        /// SQLite in memory.
        case real
        /// `ModelStore`, which a test compares with the real one.
        case model
    }

    package var nodes = 2
    /// How many devices each user has: so many nodes in a row are theirs, and the first of them holds the identity's key.
    package var devicesPerUser = 1
    /// How many links a node may have.
    package var links = Limits.links
    /// How many others each node finds at least; `nil` for everybody.
    package var contacts: Int?
    /// Messages that each node is asked to send, without answers.
    package var messagesPerNode = 40
    /// For how long messages are sent and things go wrong; then everything heals.
    package var trouble: Int64 = 60_000_000
    /// How long after that the nodes may take to agree.
    package var patience: Int64 = 240_000_000
    /// What may go wrong.
    package var faults = Fault.usual
    /// Faults happen on average this far apart.
    package var faultInterval: Int64 = 2_000_000
    /// The disk refuses one commit in so many, while things go wrong.
    package var commitFailureOdds = 60
    /// How long a commit takes.
    package var commitTime: ClosedRange<Int64> = 100...5_000
    /// How long bytes travel. Some of them are lost and come later, as TCP makes them.
    package var latency: ClosedRange<Int64> = 50...3_000
    package var retransmission: ClosedRange<Int64> = 200_000...1_500_000
    package var lossOdds = 25
    package var storage = Storage.mixed
    package var realStoreOdds: UInt64 = 20
    /// The process that is about to run this action, counted from 0 over all nodes, dies instead.
    package var crashesBeforeAction: Int?
    /// Whether programs on the nodes answer what comes, send with keys and for later.
    package var hasPrograms = false
    /// Whether all nodes belong to one conversation, in which they write, too.
    package var hasGroups = false
    /// Whether there is a private conversation beside it, whose owner invites, removes and hands over.
    package var hasPrivateGroup = false
    /// How many users write into the conversations what they may not.
    package var hostileAuthors = 0
    /// How many messages of one session the nodes write into the open conversation, in turns.
    package var sessionMoves = 0
    /// How many of its messages in the open conversation each node takes back. The nodes have the real store then.
    package var retractions = 0
    /// How many files the nodes bring along in the open conversation, in turns.
    package var files = 0
    /// Is told what happens, line by line.
    package var log: (@Sendable (String) -> Void)?

    package init() {}

    /// A configuration for a number of nodes: the more there are, the fewer messages each sends, the fewer others each
    /// finds, and the closer together faults are.
    package init(nodes: Int) {
        self.nodes = nodes
        guard nodes > 2 else { return }
        messagesPerNode = nodes <= 16 ? 12 : 8
        contacts = nodes <= 16 ? nil : 6
        faultInterval = max(200_000, 6_000_000 / Int64(nodes))
    }
}
