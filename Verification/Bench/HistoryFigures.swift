import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// How long a node takes to read a long history that is there, within its process.
struct HistoryFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "How long a node takes to read the history of a home.",
        discussion: "Prints one object: of each figure, the milliseconds of every round.")

    @Option(help: "A home of which no node runs. The conversation in which something arrived last is read.") var home:
        String
    @Option(help: "How often each thing is done.") var rounds = 40

    private static let page = 50

    private struct Report: Encodable {
        /// From a closed home to a node that can read and accept messages.
        var open: [Double] = []
        var last50: [Double] = []
        var last1000: [Double] = []
        var middle50: [Double] = []
        /// With the last message and the first unread one.
        var unreadCount: [Double] = []
        var firstUnread50: [Double] = []
        var messages = 0
        var unread = 0
    }

    func validate() throws {
        guard rounds >= 1 else { throw ValidationError("--rounds takes 1 or more.") }
    }

    func run() async throws {
        var report = Report()
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            let node = try await open()
            report.open.append(milliseconds(start.duration(to: .now)))
            await node.stop()
        }
        let node = try await open()
        guard let summary = try await node.conversations.list(limit: 1).first, let last = summary.lastMessage else {
            throw Crowd.Failure(description: "the home has no message")
        }
        let conversation = summary.conversation
        report.messages = Int(last.messageID.sequence)
        report.unread = summary.unreadCount
        let middle = MessageID(log: last.messageID.log, sequence: last.messageID.sequence / 2)
        report.last50 = try await times { try await conversation.history(limit: Self.page).count == Self.page }
        report.last1000 = try await times {
            try await conversation.history(limit: Limits.historyPage).count == Limits.historyPage
        }
        report.middle50 = try await times {
            try await conversation.history(.before(middle), limit: Self.page).count == Self.page
        }
        report.unreadCount = try await times {
            try await node.conversations.summary(of: summary.id).unreadCount == summary.unreadCount
        }
        if summary.unreadCount >= Self.page {
            report.firstUnread50 = try await times {
                try await conversation.unread(limit: Self.page).count == Self.page
            }
        }
        await node.stop()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private func open() async throws -> Node { try await Home(path: home).opened() }

    /// - Parameter body: returns whether it has read what it was to read.
    private func times(_ body: () async throws -> Bool) async throws -> [Double] {
        // What the first ones bring into memory, the others find there.
        for _ in 0..<3 { guard try await body() else { throw Crowd.Failure(description: "a page is short") } }
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            guard try await body() else { throw Crowd.Failure(description: "a page is short") }
            times.append(milliseconds(start.duration(to: .now)))
        }
        return times
    }
}

extension Home {
    /// A node that can read and accept messages, and does not run.
    func opened() async throws -> Node {
        try await Node.open(self, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
    }
}
