import Earshot
import EarshotGateway
import EarshotModel
import EarshotSimulation
import Foundation

/// What happens in a group beside the lanes, and what everybody shows of it in the end: a guest is blocked, users are removed from a
/// second conversation and invited again, a device of the guest is revoked, messages are cancelled, and files are fetched.
struct GroupAsides {
    let crowd: SoakCrowd
    let homes: GroupHomes.Made
    /// The keys of all users.
    let keys: [Int: String]
    let guest: Int
    /// The guest's device that is revoked.
    let revoked: GroupDevice
    let folder: String
    let report: Report

    /// The user who decides who belongs to the crew.
    private static let owner = 1
    private static let restLimit = Duration.seconds(180)
    private static let lastFiles = 100

    // MARK: - While nodes are killed

    func senders(_ chance: inout SeededGenerator) throws -> [AsideSender] {
        try crowd.all.map { device in
            let users = keys.filter { $0.key != device.user }
            var destinations = users.map { AsideDestination(user: $0.key, name: $0.value) }
            destinations.append(AsideDestination(user: nil, name: GroupSoak.crew))
            if device.user == guest {
                destinations.append(AsideDestination(user: nil, name: "#" + GroupSoak.conversation))
            }
            return AsideSender(
                crowd: crowd, device: device, client: try homes.client(device),
                destinations: destinations.sorted { ($0.user ?? 0, $0.name) < ($1.user ?? 0, $1.name) }, folder: folder,
                chance: SeededGenerator(seed: chance.next()))
        }
    }

    func deciders(_ chance: inout SeededGenerator) throws -> [GroupDecider] {
        try keys.keys.sorted().map { user in
            GroupDecider(
                crowd: crowd, user: user, clients: try clients(of: user), others: keys.filter { $0.key != user },
                guest: user == guest ? nil : keys[guest], isOwner: user == Self.owner,
                chance: SeededGenerator(seed: chance.next()))
        }
    }

    private func clients(of user: Int) throws -> [GatewayClient] {
        try crowd.devices.filter { $0.user == user }.map { try homes.client($0) }
    }

    /// Begins the crew, as whoever decides about it.
    func beginCrew() async throws {
        guard let client = try clients(of: Self.owner).first else { return }
        let name = String(GroupSoak.crew.dropFirst())
        _ = try await client.create(
            private: name, inviting: keys.filter { $0.key != Self.owner }.map(\.value).sorted())
    }

    /// Revokes the guest's device, as another device of the guest.
    func revoke() async throws {
        let id = try await homes.client(revoked).devices().first { $0.isThisDevice }?.id
        guard let id, let client = try clients(of: guest).first else { throw SoakError("there is nothing to revoke") }
        while true {
            do throws(GatewayError) {
                _ = try await client.revokeDevice(id)
                return
            } catch {
                guard [.noNode, .connectionLost, .timedOut, .unexpectedResponse].contains(error.code) else {
                    throw error
                }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: - At rest

    /// Waits until nobody decides any more, and makes peace: nobody blocks the guest, and whoever is invited joins.
    func makePeace() async throws {
        while await crowd.counts.running > 0 { try await Task.sleep(for: .milliseconds(100)) }
        for user in keys.keys.sorted() where user != guest {
            try await clients(of: user).first?.decide(.unblock, about: keys[guest] ?? "")
        }
        let deadline = ContinuousClock.now + Self.restLimit
        while ContinuousClock.now < deadline, try await joinWhereInvited() > 0 {
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// - Returns: how many users were invited, as one of their devices knows, or as the owner does.
    private func joinWhereInvited() async throws -> Int {
        var invited =
            try await clients(of: Self.owner).first?.participants(of: GroupSoak.crew)
            .count { $0.status == "invited" } ?? 0
        for user in keys.keys.sorted() {
            guard let client = try clients(of: user).first,
                try await client.conversation(GroupSoak.crew).status == "invited"
            else { continue }
            _ = try await client.join(known: GroupSoak.crew)
            invited += 1
        }
        return invited
    }

    /// Judges what everybody shows.
    func judge() async throws {
        var (differences, untruths, unfetched) = (["nobody has looked"], [String](), [String]())
        var shown: [ShownHistories] = []
        let deadline = ContinuousClock.now + Self.restLimit
        while ContinuousClock.now < deadline, !(differences + untruths + unfetched).isEmpty {
            try await Task.sleep(for: .seconds(1))
            unfetched = try await fetchFiles()
            shown = []
            for device in crowd.devices { shown.append(try await histories(of: device)) }
            differences = Self.pairs(of: shown) { $0.userID == $1.userID }.flatMap { $0.differences(from: $1) }
            untruths = Self.pairs(of: shown) { $0.userID != $1.userID }
                .flatMap { $0.untruths(about: $1) + $1.untruths(about: $0) }
        }
        for line in (differences + untruths + unfetched).prefix(30) { report.progress(line) }
        let counts = await crowd.counts
        report.progress("group: beside the lanes \(counts.summary); refused: \(counts.refused)")
        let messages = shown.reduce(0) { $0 + $1.histories.values.reduce(0) { $0 + $1.count } }
        report.check(
            "group: all devices of a user show the same", differences.isEmpty,
            "\(messages) messages with their states, \(differences.count) differences")
        report.check(
            "group: nobody is told what the recipient does not show", untruths.isEmpty,
            "\(counts.summary); \(untruths.count) untruths")
        report.check(
            "group: every file has come, and nothing is left of what was fetched", unfetched.isEmpty,
            "\(unfetched.count) files or parts")
        try judgeCancelled(shown)
    }

    private static func pairs(
        of shown: [ShownHistories], where isMeant: (ShownHistories, ShownHistories) -> Bool
    ) -> [(ShownHistories, ShownHistories)] {
        shown.indices.flatMap { index in shown[(index + 1)...].map { (shown[index], $0) } }.filter(isMeant)
    }

    private func histories(of device: GroupDevice) async throws -> ShownHistories {
        let client = try homes.client(device)
        var shown = ShownHistories(device: device, userID: keys[device.user] ?? "")
        let others = keys.filter { $0.key != device.user }.map(\.value).sorted()
        for name in ["#" + GroupSoak.conversation, GroupSoak.crew] + others {
            do throws(GatewayError) {
                shown.histories[name] = try await GroupSoak.history(name, client).map { ShownMessage($0) }
                shown.unread[name] = try await client.conversation(name).unreadCount
            } catch {
                guard error.code == .unknownConversation else { throw error }
            }
        }
        return shown
    }

    /// Asks for all files that have not come.
    /// - Returns: those, and parts that no transfer claims, in words.
    private func fetchFiles() async throws -> [String] {
        var unfetched: [String] = []
        for device in crowd.devices {
            let client = try homes.client(device)
            // Nobody gives whoever is out a file of a message that they were given before.
            let crew = try await client.conversation(GroupSoak.crew)
            let out = crew.status == "joined" ? nil : crew.id
            for file in try await client.files(limit: Self.lastFiles).files
            where file.state != "held" && file.conversationID != out {
                unfetched.append("\(device.name) has not got \(file.name): \(file.state)")
                if file.state == "waiting" { try await client.fetchFile(file.fileID) }
            }
            let folder = await crowd.home(of: device) + "/files/partial"
            guard FileManager.default.fileExists(atPath: folder) else { continue }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let id = name.split(separator: "-").first.map(String.init) ?? name
                let state = try await client.file(id).state
                if !["waiting", "fetching"].contains(state) {
                    unfetched.append("\(device.name) keeps parts of \(name), which is \(state)")
                }
            }
        }
        return unfetched
    }

    /// What was cancelled is on no disk of anybody but its author.
    private func judgeCancelled(_ shown: [ShownHistories]) throws {
        var (cancelled, leaks) = (Set<String>(), [String]())
        for device in shown {
            let own = device.histories.values.joined().filter { message in
                message.senderID == device.userID && !message.states.isEmpty
                    && message.states.values.allSatisfy { $0 == "failed: cancelled" }
            }
            cancelled.formUnion(own.map(\.text))
        }
        for device in shown {
            let mine = Set(device.histories.values.joined().filter { $0.senderID == device.userID }.map(\.text))
            let texts = try Aside.texts(in: homes.home(of: device.device)).intersection(cancelled).subtracting(mine)
            leaks += texts.map { "\(device.device.name) has \($0)" }
        }
        for line in leaks.prefix(10) { report.progress(line) }
        report.check(
            "group: what was cancelled is on no disk of others", leaks.isEmpty && !cancelled.isEmpty,
            "\(cancelled.count) cancelled, \(leaks.count) leaked")
    }
}
