import Earshot
import EarshotGateway
import EarshotModel
import EarshotSimulation
import Foundation
import GRDB

/// Users of one conversation, each with several devices, on the loopback: all of them write to it and to each other
/// while their nodes are killed at random. A guest is there besides, with whom they fall out (`GroupAsides`).
struct GroupSoak {
    let users: Int
    let devicesPerUser: Int
    /// Whether the first user invites the others, or all join a name.
    let isPrivate: Bool
    let kills: Int
    /// How many lanes each device sends on; every third goes to another user, the others to the conversation.
    let lanes: Int
    /// How long a lane waits between two messages.
    let rest: Duration
    let program: String
    let folder: String
    let report: Report

    static let conversation = "soak"
    /// A private conversation of which users are removed, and to which they are invited again.
    static let crew = "#crew"
    /// The user whom the others block now and then, and one of whose devices is revoked.
    private var guest: Int { users + 1 }

    private static let between = 50...800
    private static let away = 50...600
    /// Longer than a sender rests, so that whoever is left alone sends something, and cancels it.
    private static let lonely = 3200...4200
    private static let perLonelyStep = 20
    private static let early = 0...80
    private static let meetingLimit = Duration.seconds(120)
    private static let deliveryLimit = Duration.seconds(300)
    /// The port of the first device; those of the others follow.
    private static let firstPort = 27_100

    func run(_ chance: inout SeededGenerator) async throws {
        let plan = (1...max(1, kills)).map { number in
            // The first of them comes early, so that a short run has one, too.
            Step(
                &chance, users: guest, devices: devicesPerUser,
                isLonely: number % Self.perLonelyStep == Self.perLonelyStep / 2)
        }
        let revoked = GroupDevice(user: guest, number: devicesPerUser + 1)
        let devices =
            [revoked]
            + (1...guest).flatMap { user in
                (1...devicesPerUser).map { GroupDevice(user: user, number: $0) }
            }
        let homes = try await GroupHomes(
            devices: devices, ports: Dictionary(uniqueKeysWithValues: zip(devices, Self.firstPort...)),
            program: program,
            folder: folder
        ).make()
        let crowd = SoakCrowd(homes.nodes, unjudged: [revoked])
        do {
            for device in devices { try await crowd.start(device) }
            let keys = try await meet(crowd, homes)
            let asides = GroupAsides(
                crowd: crowd, homes: homes, keys: keys, guest: guest, revoked: revoked, folder: folder, report: report)
            try await asides.beginCrew()
            report.progress("group: \(devices.count) devices of \(users) users belong to #\(Self.conversation)")
            try await run(crowd, homes, keys, asides, plan, &chance)
        } catch {
            for device in devices { report.progress("\(device.name): \(await crowd.lastWords(of: device))") }
            try await crowd.stop()
            throw error
        }
        try await crowd.stop()
        report.add(
            "group", messages: await crowd.accepted, kills: await crowd.kills, faults: await crowd.faults, events: 0)
    }

    private func run(
        _ crowd: SoakCrowd, _ homes: GroupHomes.Made, _ keys: [Int: String], _ asides: GroupAsides, _ plan: [Step],
        _ chance: inout SeededGenerator
    ) async throws {
        let (senders, deciders) = (try asides.senders(&chance), try asides.deciders(&chance))
        let withdrawers = try crowd.devices.filter { $0.user != guest }.map { device in
            GroupWithdrawer(
                crowd: crowd, device: device, client: try homes.client(device), keys: keys.filter { $0.key != guest },
                conversation: "#" + Self.conversation, chance: SeededGenerator(seed: chance.next()))
        }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in crowd.devices where device.user != guest {
                let client = try homes.client(device)
                for lane in lanes(of: device) {
                    let destination = lane.recipient.flatMap { keys[$0] } ?? "#" + Self.conversation
                    let sender = GroupSender(
                        crowd: crowd, lane: lane, client: client, destination: destination, rest: rest)
                    group.addTask { try await sender.run() }
                }
            }
            for withdrawer in withdrawers {
                group.addTask {
                    var withdrawer = withdrawer
                    try await withdrawer.run()
                }
            }
            for sender in senders {
                group.addTask {
                    var sender = sender
                    try await sender.run()
                }
            }
            for decider in deciders {
                group.addTask {
                    var decider = decider
                    try await decider.run()
                }
            }
            group.addTask { try await progress(crowd) }
            await crowd.setSending(true)
            // The guest's device is revoked halfway.
            try await kill(crowd, plan[..<(plan.count / 2)], of: kills / 2)
            try await asides.revoke()
            try await kill(crowd, plan[(plan.count / 2)...], of: kills)
            await crowd.setSending(false)
            let count = await crowd.kills
            report.check("group: a node was killed so often", count >= kills, "\(count) of \(kills)")
            try await asides.makePeace()
            try await judge(crowd, homes, keys, seconds: (ContinuousClock.now - start).inSeconds)
            try await asides.judge()
            await crowd.end()
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    private func lanes(of device: GroupDevice) -> [GroupLane] {
        (0..<lanes).map { index in
            let isDirect = index % 3 == 2 && users > 1
            // One after the other, so that each two users write to each other where there are enough lanes.
            let step = (index / 3 + device.number - 1) % max(1, users - 1) + 1
            let recipient = (device.user - 1 + step) % users + 1
            return GroupLane(author: device, index: index, recipient: isDirect ? recipient : nil)
        }
    }

    // MARK: - Kills

    /// What is done at one moment.
    private struct Step {
        let wait: Int
        let devices: [GroupDevice]
        let away: Int
        /// Milliseconds after which the same nodes are killed once more.
        let again: Int?

        /// - Parameter isLonely: whether all devices but one are killed, and stay away for a while.
        init(_ chance: inout SeededGenerator, users: Int, devices count: Int, isLonely: Bool) {
            wait = Int.random(in: GroupSoak.between, using: &chance)
            let user = Int.random(in: 1...users, using: &chance)
            let number = Int.random(in: 1...count, using: &chance)
            let all = (1...users).flatMap { user in (1...count).map { GroupDevice(user: user, number: $0) } }
            let one = GroupDevice(user: user, number: number)
            // Sometimes all devices of a user, sometimes one of each user, and sometimes all but one: what that one writes then has
            // not left it, and can be cancelled.
            devices =
                if isLonely {
                    all.filter { $0 != one }
                } else if chance.oneIn(8) {
                    all.filter { $0.user == user }
                } else if chance.oneIn(12) {
                    all.filter { $0.number == number }
                } else {
                    [one]
                }
            away =
                isLonely
                ? Int.random(in: GroupSoak.lonely, using: &chance)
                : chance.oneIn(4) ? Int.random(in: GroupSoak.away, using: &chance) : 0
            again = chance.oneIn(8) ? Int.random(in: GroupSoak.early, using: &chance) : nil
        }
    }

    private func kill(_ crowd: SoakCrowd, _ plan: ArraySlice<Step>, of kills: Int) async throws {
        for step in plan {
            guard await crowd.kills < kills else { break }
            try await Task.sleep(for: .milliseconds(step.wait))
            try await crowd.kill(step.devices)
            try await Task.sleep(for: .milliseconds(step.away))
            for device in step.devices { try await crowd.start(device) }
            guard let again = step.again else { continue }
            try await Task.sleep(for: .milliseconds(again))
            try await crowd.kill(step.devices)
            for device in step.devices { try await crowd.start(device) }
        }
    }

    // MARK: - The beginning and the end

    /// Waits until each node knows all users, and belongs to the conversation.
    /// - Returns: the keys of the users.
    private func meet(_ crowd: SoakCrowd, _ homes: GroupHomes.Made) async throws -> [Int: String] {
        var keys: [Int: String] = [:]
        for device in crowd.devices {
            let status = try await homes.status(of: device, within: Self.meetingLimit)
            keys[device.user] = status.id
            guard let userID = UserID(status.id) else { throw SoakError("\(status.id) is no key") }
            await crowd.knows(userID, as: device.user)
        }
        let deadline = ContinuousClock.now + Self.meetingLimit
        for device in crowd.devices where device.number == 1 {
            let client = try homes.client(device)
            if !isPrivate {
                _ = try await client.join(Self.conversation)
            } else if device.user == 1 {
                let others = keys.filter { $0.key != device.user }.map(\.value).sorted()
                _ = try await client.create(private: Self.conversation, inviting: others)
            } else {
                while try await !hasAccepted(client) {
                    guard ContinuousClock.now < deadline else { throw SoakError("\(device.name) was not invited") }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
        for device in crowd.devices {
            let client = try homes.client(device)
            while try await !hasMet(client) {
                guard ContinuousClock.now < deadline else {
                    throw SoakError("\(device.name) did not meet all others: \(await crowd.lastWords(of: device))")
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return keys
    }

    /// - Returns: whether the invitation was there.
    private func hasAccepted(_ client: GatewayClient) async throws -> Bool {
        do throws(GatewayError) {
            _ = try await client.join(known: "#" + Self.conversation)
            return true
        } catch {
            guard error.code == .unknownConversation else { throw error }
            return false
        }
    }

    private func hasMet(_ client: GatewayClient) async throws -> Bool {
        do throws(GatewayError) {
            let participants = try await client.participants(of: "#" + Self.conversation)
            return participants.count { $0.status == "joined" } == guest
        } catch {
            guard [.unknownConversation, .notJoined, .noNode].contains(error.code) else { throw error }
            return false
        }
    }

    /// Waits until everything that was accepted is on every disk that must hold it, and delivered; compares all histories.
    private func judge(
        _ crowd: SoakCrowd, _ homes: GroupHomes.Made, _ keys: [Int: String], seconds: Double
    ) async throws {
        let start = ContinuousClock.now
        let isEverywhere = try await settle(crowd, homes, keys)
        report.check(
            "group: all that was accepted is on every disk that must hold it", isEverywhere,
            isEverywhere
                ? String(format: "%.1f s after the last", (ContinuousClock.now - start).inSeconds)
                : await crowd.backlog)
        let left = try await forget(crowd)
        let unread = try await unreadDifferences(crowd, homes, keys)
        let rest = left.map { "\($0) texts are left" } ?? "some are still under way"
        report.check(
            "group: what was taken back is on no disk", left == 0, "\(await crowd.withdrawn.count) taken back; \(rest)")
        report.check(
            "group: the devices of a user have read the same", unread.isEmpty, unread.joined(separator: "; "))
        let ofGroup = try await agree(crowd, homes, keys)
        await crowd.judgeHistories()
        let (faults, accepted) = (await crowd.faults, await crowd.accepted)
        let rate = Int(Double(accepted) / max(seconds, 0.001))
        report.check("group: nothing is lost", faults.lost == 0, "\(accepted) accepted, \(rate)/s; \(faults.lost) lost")
        for line in await crowd.notShown.sorted().prefix(20) { report.progress(line) }
        report.check("group: nothing is doubled", faults.doubled == 0, "\(await crowd.repeated) sends were repeated")
        report.check("group: nothing is reordered", faults.reordered == 0)
        report.check(
            "group: nothing is called delivered that is on no disk of the recipient", faults.falselyDelivered == 0)
        report.check(
            "group: all \(Self.word(users)) agree", faults.different == 0, "\(ofGroup) messages in the conversation")
        report.check("group: nobody shows what was taken back as it was", faults.kept == 0)
        var others = faults
        (others.lost, others.doubled, others.reordered, others.falselyDelivered, others.different) = (0, 0, 0, 0, 0)
        report.check("group: no hole, no state that goes back", others == .none, others.summary)
        let (surprises, unanswered, refused) = (
            await crowd.surprises, await crowd.lanesInDoubt, await crowd.refused
        )
        report.check(
            "group: no node ends by itself, every send is answered, and none is refused",
            surprises + unanswered + refused == 0,
            "\(surprises) nodes, \(unanswered) sends, \(refused) refused \(await crowd.refusals.sorted().joined(separator: "; "))"
        )
    }

    static func word(_ count: Int) -> String {
        let words = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        return count < words.count ? words[count] : "\(count)"
    }

    /// - Returns: whether everything is everywhere, and called delivered by its authors, within the limit.
    private func settle(_ crowd: SoakCrowd, _ homes: GroupHomes.Made, _ keys: [Int: String]) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.deliveryLimit
        while ContinuousClock.now < deadline {
            try await crowd.look()
            if await crowd.isQuiet, await crowd.missing == 0, try await isDelivered(crowd, homes) { return true }
            try await Task.sleep(for: .milliseconds(500))
        }
        return false
    }

    /// Waits until no disk holds what was taken back, within the limit.
    /// - Returns: how many of these texts are left; `nil` if some messages are not even taken back.
    private func forget(_ crowd: SoakCrowd) async throws -> Int? {
        let deadline = ContinuousClock.now + Self.deliveryLimit
        while ContinuousClock.now < deadline {
            if await crowd.withdrawalsUnderWay == 0, try await crowd.withdrawnTexts() == 0 { return 0 }
            try await Task.sleep(for: .milliseconds(500))
        }
        return await crowd.withdrawalsUnderWay == 0 ? try await crowd.withdrawnTexts() : nil
    }

    /// Waits until each user's devices have as much unread in each conversation, within the limit.
    /// - Returns: those that have not.
    private func unreadDifferences(
        _ crowd: SoakCrowd, _ homes: GroupHomes.Made, _ keys: [Int: String]
    ) async throws -> [String] {
        let deadline = ContinuousClock.now + Self.meetingLimit
        var differences: [String]
        repeat {
            differences = []
            for user in 1...users {
                for other in 0...users where other != user {
                    let conversation = other == 0 ? "#" + Self.conversation : keys[other] ?? ""
                    var counts: [Int] = []
                    for device in crowd.devices where device.user == user {
                        counts.append(try await homes.client(device).conversation(conversation).unreadCount)
                    }
                    guard Set(counts).count > 1 else { continue }
                    differences.append("u\(user) with \(other == 0 ? "all" : "u\(other)"): \(counts)")
                }
            }
            guard !differences.isEmpty else { return [] }
            try await Task.sleep(for: .seconds(1))
        } while ContinuousClock.now < deadline
        return differences
    }

    private func isDelivered(_ crowd: SoakCrowd, _ homes: GroupHomes.Made) async throws -> Bool {
        for device in crowd.devices {
            do {
                guard try await homes.client(device).status().undeliveredMessages == 0 else { return false }
            } catch let error as GatewayError where error.code == .noNode {
                return false
            }
        }
        return true
    }

    /// Compares the histories of each conversation on all devices of those who belong to it.
    /// - Returns: how many messages the group's has.
    private func agree(_ crowd: SoakCrowd, _ homes: GroupHomes.Made, _ keys: [Int: String]) async throws -> Int {
        let devices = crowd.devices
        var differences = 0
        var first: [HistoryLine<GroupMessage>]?
        for device in devices {
            let lines = try await lines("#" + Self.conversation, homes.client(device))
            await crowd.read(lines, of: device)
            if let first { differences += HistoryLine<GroupMessage>.differences(first, lines) } else { first = lines }
        }
        for user in 1...users {
            for other in (user + 1)..<(users + 1) {
                var one: [HistoryLine<GroupMessage>]?
                for device in devices where [user, other].contains(device.user) {
                    let peer = device.user == user ? other : user
                    let lines = try await lines(keys[peer] ?? "", homes.client(device))
                    await crowd.read(lines, of: device)
                    if let one { differences += HistoryLine<GroupMessage>.differences(one, lines) } else { one = lines }
                }
            }
        }
        var faults = Faults.none
        faults.different = differences
        await crowd.note(faults)
        return first?.count ?? 0
    }

    /// A whole conversation as a node shows it, page by page, backwards from the end.
    static func history(_ partner: String, _ client: GatewayClient) async throws(GatewayError) -> [GatewayMessage] {
        var messages: [GatewayMessage] = []
        var page = try await client.history(with: partner, limit: Limits.historyPage)
        while let first = page.first {
            messages += page.reversed()
            page = try await client.history(with: partner, before: first.id, limit: Limits.historyPage)
        }
        return messages.reversed()
    }

    /// What of it the lanes have written, or was taken back.
    private func lines(_ partner: String, _ client: GatewayClient) async throws -> [HistoryLine<GroupMessage>] {
        try await Self.history(partner, client).filter { !Aside.isText($0.text) }.map { HistoryLine($0) }
    }

    private func progress(_ crowd: SoakCrowd) async throws {
        while true {
            try await Task.sleep(for: .seconds(5))
            do { try await crowd.look() } catch is DatabaseError { continue }
            let (accepted, missing, kills, faults) = (
                await crowd.accepted, await crowd.missing, await crowd.kills, await crowd.faults
            )
            report.progress(
                "group: \(accepted) accepted, \(missing) copies under way, \(kills) kills, "
                    + (faults == .none ? "no fault" : "FAULTS: \(faults.summary)"))
        }
    }
}
