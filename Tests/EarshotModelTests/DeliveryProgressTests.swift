import EarshotModel
import Testing

@Suite("A log's delivery progress")
struct DeliveryProgressTests {
    /// Message 1 was read, 2 delivered, 3 sent, 4 offered only, 5 nothing.
    static var progress: DeliveryProgress {
        var progress = DeliveryProgress()
        (progress.read, progress.delivered, progress.sent, progress.offered) = (1, 2, 3, 4)
        return progress
    }

    @Test(
        "is the state of each message of a log",
        arguments: zip(1...5, [.read, .delivered, .sent, .queued, .queued] as [DeliveryState]))
    func states(sequence: Int, state: DeliveryState) {
        #expect(Self.progress.state(of: UInt64(sequence), failure: nil) == state)
    }

    @Test(
        "is overruled by a failure until a receipt covers the message",
        arguments: zip(
            1...5, [.read, .delivered, .failed(.expired), .failed(.expired), .failed(.expired)] as [DeliveryState]))
    func expired(sequence: Int, state: DeliveryState) {
        let failure = Self.failure(UInt64(sequence), .expired, isWithheld: false)
        #expect(Self.progress.state(of: UInt64(sequence), failure: failure) == state)
    }

    @Test("is overruled for good where the content was withheld, whatever receipts cover", arguments: 1...5)
    func withheld(sequence: Int) {
        let failure = Self.failure(UInt64(sequence), .cancelled, isWithheld: true)
        #expect(Self.progress.state(of: UInt64(sequence), failure: failure) == .failed(.cancelled))
    }

    @Test("only delivered and read mean that the recipient has it")
    func isDelivered() {
        let states: [DeliveryState] = [.queued, .sent, .delivered, .read, .failed(.expired)]
        #expect(states.map(\.isDelivered) == [false, false, true, true, false])
        #expect(states.map(\.name) == ["queued", "sent", "delivered", "read", "failed"])
    }

    private static func failure(_ sequence: UInt64, _ reason: FailureReason, isWithheld: Bool) -> DeliveryFailure {
        DeliveryFailure(
            messageID: MessageID(log: LogID(Bytes32()), sequence: sequence), recipientID: UserID(Bytes32()),
            reason: reason,
            isWithheld: isWithheld)
    }
}
