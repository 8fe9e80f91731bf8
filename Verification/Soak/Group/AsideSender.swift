import Earshot
import EarshotGateway
import EarshotSimulation
import Foundation

/// Sends messages beside the lanes through the local API of a device's node, some with a file, and cancels some at once. A node may
/// refuse them: whoever was removed may not write, and nothing goes to whoever is blocked.
struct AsideSender {
    let crowd: SoakCrowd
    let device: GroupDevice
    let client: GatewayClient
    /// Where it writes to: the key of a user, or a conversation of many.
    let destinations: [AsideDestination]
    /// Where the files lie that it sends.
    let folder: String
    var chance: SeededGenerator

    /// Milliseconds between two messages.
    private static let between = 400...3000
    private static let patience = Duration.seconds(5)
    /// One message of so many brings along a file, one is cancelled, and one file is large.
    private static let perFile = 6
    private static let perCancelled = 3
    private static let perLargeFile = 10
    private static let smallFile = 1...100_000
    private static let largeFile = 500_000...3_000_000

    mutating func run() async throws {
        await crowd.asidesBegin()
        var number = 0
        while try await crowd.goesOn() {
            number += 1
            let aside = Aside(author: device, number: number)
            do throws(GatewayError) { try await send(aside) } catch {
                switch error.code {
                case .noNode, .connectionLost, .timedOut, .unexpectedResponse: break
                default: await crowd.asideRefused("\(error.code)")
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: Self.between, using: &chance)))
        }
        await crowd.asidesEnd()
    }

    private mutating func send(_ aside: Aside) async throws(GatewayError) {
        let isLeftAlone = await crowd.isLeftAlone(device)
        let isCancelled = chance.oneIn(Self.perCancelled) || isLeftAlone
        let destination =
            isCancelled ? await destinationAway() : destinations.randomElement(using: &chance)
        guard let destination else { return }
        let file = chance.oneIn(Self.perFile) ? try await attachment(of: aside) : nil
        let sent = try await client.send(
            aside.text, to: destination.name, attachments: file.map { [$0] } ?? [], key: aside.text)
        await crowd.asideSent()
        guard isCancelled else { return }
        _ = try await client.cancel(sent.id)
    }

    /// What is to be cancelled must not have left: it goes to somebody who is away, from a device that is alone. Waits for that.
    /// - Returns: `nil` if nobody is for long.
    private mutating func destinationAway() async -> AsideDestination? {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            // The user's other devices would pass it on.
            if await crowd.isAlone(device) {
                var away: [AsideDestination] = []
                for destination in destinations {
                    if let user = destination.user, await crowd.isAway(user) { away.append(destination) }
                }
                if let one = away.randomElement(using: &chance) { return one }
            }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { return nil }
        }
        return nil
    }

    private mutating func attachment(of aside: Aside) async throws(GatewayError) -> GatewayAttachment {
        let sizes = chance.oneIn(Self.perLargeFile) ? Self.largeFile : Self.smallFile
        let count = Int.random(in: sizes, using: &chance)
        var bytes = Data(capacity: count + 8)
        while bytes.count < count { withUnsafeBytes(of: chance.next()) { bytes.append(contentsOf: $0) } }
        let path = "\(folder)/\(aside.text)"
        do { try bytes.write(to: URL(fileURLWithPath: path)) } catch {
            throw GatewayError(.invalidRequest, "\(path) cannot be written", cause: error)
        }
        defer { unlink(path) }
        return try await client.addFile(path)
    }
}

/// Where messages beside the lanes go.
struct AsideDestination: Sendable {
    /// `nil`: a conversation of many.
    let user: Int?
    let name: String
}
