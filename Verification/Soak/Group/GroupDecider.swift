import Earshot
import EarshotGateway
import EarshotSimulation

/// What a user decides on any of their devices: blocks the guest for a while, invites and removes where they decide about that, joins
/// where they are invited, fetches files, and marks as read.
struct GroupDecider {
    let crowd: SoakCrowd
    let user: Int
    /// Those of the user's devices that are not revoked.
    let clients: [GatewayClient]
    /// The keys of all others.
    let others: [Int: String]
    /// The key of the guest; `nil` if this is the guest.
    let guest: String?
    /// Whether this user decides who belongs to the crew.
    let isOwner: Bool
    var chance: SeededGenerator

    /// Milliseconds between two decisions.
    private static let between = 200...900
    private static let filesAtOnce = 20

    mutating func run() async throws {
        await crowd.asidesBegin()
        while try await crowd.goesOn() {
            guard let client = clients.randomElement(using: &chance) else { break }
            do throws(GatewayError) { try await decide(client) } catch {
                switch error.code {
                case .noNode, .connectionLost, .timedOut, .unexpectedResponse: break
                default: await crowd.asideRefused("\(error.code)")
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: Self.between, using: &chance)))
        }
        await crowd.asidesEnd()
    }

    private mutating func decide(_ client: GatewayClient) async throws(GatewayError) {
        switch isOwner && chance.oneIn(2) ? 1 : Int.random(in: 0..<5, using: &chance) {
        case 0:
            guard let guest else { return }
            try await client.decide(chance.oneIn(3) ? .block : .unblock, about: guest)
            await crowd.decided("blocks and unblocks")
        case 1:
            guard isOwner, let other = others.values.sorted().randomElement(using: &chance) else { return }
            if chance.oneIn(2) {
                _ = try await client.remove(other, from: GroupSoak.crew)
            } else {
                _ = try await client.invite([other], to: GroupSoak.crew)
            }
            await crowd.decided("removals and invitations")
        case 2:
            let conversation = try await client.conversation(GroupSoak.crew)
            guard conversation.status == "invited" else { return }
            _ = try await client.join(known: GroupSoak.crew)
            await crowd.decided("times joined")
        case 3:
            for file in try await client.files(limit: Self.filesAtOnce).files where file.state == "waiting" {
                try await client.fetchFile(file.fileID)
            }
        default:
            let conversation = guest.map { chance.oneIn(2) ? $0 : GroupSoak.crew } ?? GroupSoak.crew
            try await client.markAllRead(with: conversation)
        }
    }
}
