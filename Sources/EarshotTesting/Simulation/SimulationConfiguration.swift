/// What a simulation does to its nodes. All spans of time are virtual, in microseconds.
public struct SimulationConfiguration: Sendable {
    /// Messages that each node is asked to send.
    public var messagesPerNode = 40
    /// For how long messages are sent and things go wrong; then everything heals.
    public var trouble: Int64 = 60_000_000
    /// How long after that the nodes may take to agree.
    public var patience: Int64 = 600_000_000
    /// Faults happen on average this far apart.
    public var faultInterval: Int64 = 2_000_000
    /// The disk refuses one commit in so many, while things go wrong.
    public var commitFailureOdds = 60
    /// A process that died begins anew with an older copy of its disk one time in so many; 0 for never.
    public var restoreOdds = 0
    /// How long a commit takes.
    public var commitTime: ClosedRange<Int64> = 100...5_000
    /// How long bytes travel. Some of them are lost and come later, as TCP makes them.
    public var latency: ClosedRange<Int64> = 50...3_000
    public var retransmission: ClosedRange<Int64> = 200_000...1_500_000
    public var lossOdds = 25

    public init() {}
}
