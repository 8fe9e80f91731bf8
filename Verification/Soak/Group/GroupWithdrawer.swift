import Earshot
import EarshotGateway
import EarshotSimulation

/// Sends messages through the local API of a device's node and takes each back soon after, and now and then marks all as read.
struct GroupWithdrawer {
    let crowd: SoakCrowd
    let device: GroupDevice
    let client: GatewayClient
    /// The keys of the users.
    let keys: [Int: String]
    let conversation: String
    var chance: SeededGenerator

    /// How long a message stays, in milliseconds; and how long one waits before the next.
    private static let stay = 0...1500
    private static let between = 200...1500
    private static let again = Duration.milliseconds(50)

    mutating func run() async throws {
        while let number = try await crowd.nextWithdrawal(by: device) {
            let others = keys.keys.filter { $0 != device.user }.sorted()
            let recipient = chance.oneIn(3) ? others.randomElement(using: &chance) : nil
            let message = Withdrawn(author: device, number: number, recipient: recipient)
            let destination = recipient.flatMap { keys[$0] } ?? conversation
            // The key makes one message of all tries.
            let sent = try await answer { client throws(GatewayError) in
                try await client.send(message.text, to: destination, key: message.text)
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: Self.stay, using: &chance)))
            if chance.oneIn(2) {
                try await answer { client throws(GatewayError) in try await client.markAllRead(with: destination) }
            }
            let taken = try await answer { client throws(GatewayError) in try await client.retract(sent.id) }
            await crowd.withdrew(message, id: sent.id, isTakenBack: taken.isRetracted)
            try await Task.sleep(for: .milliseconds(Int.random(in: Self.between, using: &chance)))
        }
    }

    /// Asks until the node answers: it may have been killed.
    private func answer<Answer>(
        _ ask: (GatewayClient) async throws(GatewayError) -> Answer
    ) async throws -> Answer {
        while true {
            do throws(GatewayError) { return try await ask(client) } catch {
                switch error.code {
                case .noNode, .connectionLost, .timedOut, .unexpectedResponse: break
                default: throw SoakError("\(device.name): \(error.code): \(error.message)")
                }
            }
            try await Task.sleep(for: Self.again)
        }
    }
}
