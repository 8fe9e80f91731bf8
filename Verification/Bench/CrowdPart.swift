import ArgumentParser
import Earshot
import EarshotDiscovery
import EarshotModel
import Foundation

/// Some nodes of a crowd in a process of their own, which takes orders on standard input and answers on standard output.
struct CrowdPart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "crowd-part", shouldDisplay: false)

    @Option var first: Int
    @Option var nodes: Int
    @Option var links: Int
    @Option var folder: String
    /// The port of a node to which each links. Without it they learn of others by what is posted.
    @Option var peer: UInt16?

    /// What the nodes of a part are like at one moment.
    struct Status: Codable {
        /// The devices that the node lists which lists the fewest.
        var listed = 0
        /// The links of each node, and how many users it has met.
        var links: [Int] = []
        var met: [Int] = []
        var residentBytes = 0
    }

    /// What became of one message.
    struct Exchange: Codable {
        /// Whether the two had a link when it was sent.
        let wasLinked: Bool
        /// Milliseconds from the call to the event that says it is on the other's disk; `nil` if it did not come.
        let milliseconds: Double?
    }

    /// Somebody of the crowd.
    struct Notice: Codable {
        let deviceID: String
        let userID: String
        let name: String
        let port: UInt16

        var record: ServiceRecord {
            get throws {
                guard let deviceID = DeviceID(deviceID), let userID = UserID(userID) else {
                    throw Crowd.Failure(description: "a notice names no device, or no user")
                }
                return .notice(of: deviceID, userID, try UserName(name), port: port)
            }
        }
    }

    func run() async throws {
        try Self.allowDescriptors(Self.descriptors(of: nodes, links: links))
        let board = Noticeboard()
        let parent = URL(filePath: folder)
        var crowd: [GroupNode] = []
        for number in first..<first + nodes {
            crowd.append(
                try await GroupNode.start(
                    "node\(number)", in: parent, peers: peer.map { [$0] } ?? [],
                    discovery: peer == nil ? .sources([board]) : .off, linkLimit: links))
        }
        let notices = crowd.map {
            Notice(
                deviceID: "\($0.node.deviceID)", userID: "\($0.node.userID)", name: "\($0.node.name)", port: $0.port)
        }
        try reply("notices", notices)
        for await line in MeasuredNode.orders {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words.first {
            case "post":
                for notice in try JSONDecoder().decode([Notice].self, from: Data(words[1].utf8)).shuffled() {
                    board.post(try notice.record)
                }
            case "status": try reply("status", await status(of: crowd))
            case "send":
                guard let index = Int(words[1]), let userID = UserID(words[2]) else { continue }
                try reply("sent", try await crowd[index].deliver("message", to: userID))
            default: continue
            }
        }
        for node in crowd { try await node.stop() }
    }

    private func reply(_ word: String, _ value: some Encodable) throws {
        answer(word, String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }

    private func status(of crowd: [GroupNode]) async -> Status {
        var sum = Status(listed: .max, residentBytes: GroupNode.residentBytes)
        for node in crowd {
            let status = await node.node.status()
            sum.listed = min(sum.listed, status.devices)
            sum.links.append(Set(status.links.map(\.deviceID)).count)
            sum.met.append(status.knownUsers)
        }
        return sum
    }

    /// The files that so many nodes may have open: those of a node without links, and one for each link.
    static func descriptors(of nodes: Int, links: Int) -> Int { nodes * (links + 24) + 512 }

    /// The mappings of memory that so many nodes may have: each secret has pages of its own, between others that cannot be
    /// read.
    static func mappings(of nodes: Int, links: Int) -> Int { nodes * (9 * links + 64) + 1_024 }

    static func allowDescriptors(_ count: Int) throws {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(files, &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count)))
        guard setrlimit(files, &limit) == 0, limit.rlim_cur >= rlim_t(count) else {
            throw Crowd.Failure(
                description: "so many nodes need \(count) open files, and this process may not have them")
        }
    }
}

extension GroupNode {
    /// Sends a message, and waits up to 30 s until it is delivered.
    fileprivate func deliver(_ text: String, to userID: UserID) async throws -> CrowdPart.Exchange {
        let wasLinked = await node.status().links.contains { $0.userID == userID }
        let delivered = node.events.events(.messageDelivered)
        let start = ContinuousClock.now
        let message = try await node.messages.send(text, to: userID)
        let took = try await withThrowingTaskGroup(of: Double?.self) { group in
            group.addTask {
                for try await change in delivered where change.messageID == message.messageID {
                    return milliseconds(start.duration(to: .now))
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(30))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        return CrowdPart.Exchange(wasLinked: wasLinked, milliseconds: took)
    }
}
