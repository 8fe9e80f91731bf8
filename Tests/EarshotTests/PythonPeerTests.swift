import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite(
    "A node and an independent peer", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: PythonEnvironment.isWanted, "EARSHOT_SKIP_PYTHON is set"))
struct PythonPeerTests {
    enum Dialler: CaseIterable, Sendable {
        case node, peer
    }

    private static let networkKey = (0..<32).map { 0xa0 ^ $0 as UInt8 }

    @Test(
        "exchange messages, receipts and read marks, whoever dials, with a network key and without",
        arguments: Dialler.allCases, [nil, networkKey])
    func exchangeMessages(dialler: Dialler, networkKey: [UInt8]?) async throws {
        try await withPair(dialler, networkKey: networkKey) { pair in
            try await pair.link(expectingHeads: 0)
            try await pair.peerSends("Grüße aus Python")
            try await pair.nodeSends("Grüße aus Swift")
            try await pair.close()
        }
    }

    @Test("exchange texts of the greatest length, in pieces of whatever size", arguments: Dialler.allCases)
    func exchangeLongTexts(dialler: Dialler) async throws {
        try await withPair(dialler) { pair in
            try await pair.link(expectingHeads: 0)
            let received = pair.node.events.events(.messageReceived)
            try pair.peer.obey("text \(Limits.textBytes)")
            let message = try await NodeAndPeer.next(received, "the long text arrives")
            #expect(message.text == String(repeating: "é", count: Limits.textBytes / 2))
            try await pair.peer.expect("receipt")
            try await pair.nodeSends(String(repeating: "x", count: Limits.textBytes))
        }
    }

    @Test("begin again where a lost link left off, and lose nothing", arguments: Dialler.allCases)
    func resumeAfterLoss(dialler: Dialler) async throws {
        try await withPair(dialler) { pair in
            try await pair.link(expectingHeads: 0)
            try await pair.peerSends("before the loss")
            try await pair.nodeSends("before the loss, too")
            let delivered = pair.node.events.events(.messageDelivered)
            try await pair.endLink(by: "drop")

            let messages = try await pair.node.messages.send([.init("one"), .init("two")], to: pair.peerID)
            try await pair.link(expectingHeads: 1)
            // It says again how far it has the log, and has read it.
            #expect(try await pair.peer.expect("receipt").read == 1)
            for message in messages {
                #expect(try await pair.peer.expect("message").text == message.text)
                let change = try await NodeAndPeer.next(delivered, "\(message.text) is delivered")
                #expect(change.messageID == message.messageID)
            }
            try await pair.peerSends("after it", sequence: 2)
        }
    }

    @Test("tell each other what their programs have dealt with")
    func handled() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            let handled = pair.node.events.events(.messageHandled)
            let message = try await pair.node.messages.send("for a program", to: pair.peerID)
            try await pair.peer.expect("message")
            try pair.peer.obey("handle")
            #expect(try await NodeAndPeer.next(handled, "the peer's receipt").messageID == message.messageID)
            try await pair.node.inbox.makeConsumer("bot")
            try pair.peer.obey("send for the bot")
            #expect(try await pair.peer.expect("receipt").handled == 0)
            let batch = try await pair.node.inbox.receive(consumer: "bot")
            try await pair.node.inbox.acknowledge(consumer: "bot", through: batch.cursor)
            #expect(try await pair.peer.expect("receipt").handled == 1)
        }
    }

    @Test("keep the place of a withheld entry, and show nothing in it")
    func withheldEntry() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            try pair.peer.obey("withhold")
            #expect(try await pair.peer.expect("receipt").sequence == 1)
            try await pair.peerSends("after what was withheld", sequence: 2)
            let history = try await pair.node.conversations.direct(with: pair.peerID).history()
            #expect(history.map(\.text) == ["after what was withheld"])
        }
    }

    @Test("answer pings, also under a renewed key", arguments: Dialler.allCases)
    func pingAndRekey(dialler: Dialler) async throws {
        try await withPair(dialler) { pair in
            try await pair.link(expectingHeads: 0)
            for order in ["ping", "rekey", "rekey"] {
                try pair.peer.obey(order)
                try await pair.peer.expect("pong")
            }
            try await pair.peerSends("under the third key")
        }
    }

    @Test("part when a receipt is forged, and the forged state is not believed")
    func forgedReceipt() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            let delivered = pair.node.events.events(.messageDelivered)
            let message = try await pair.node.messages.send("not read yet", to: pair.peerID)
            try await pair.peer.expect("message")
            _ = try await NodeAndPeer.next(delivered, "the true receipt")
            try pair.peer.obey("forge")
            #expect(try await pair.peer.expect("closed").reason == 3)
            #expect(try await pair.node.messages.message(message.messageID).states == [pair.peerID: .delivered])
        }
    }

    @Test("have no link when the peer's credential is over or has not begun", arguments: Dialler.allCases)
    func invalidCredential(dialler: Dialler) async throws {
        for (arguments, reason, code) in [
            (["--ends=-1000"], 7, "credentialExpired"), (["--begins=3600000"], 8, "credentialNotYetValid"),
        ] as [([String], UInt32, String)] {
            try await withPair(dialler, peerArguments: arguments) { pair in
                let failures = pair.node.events.events(.named([.linkFailed]))
                try pair.peer.obey("link")
                if dialler == .node {
                    #expect(try await pair.peer.expect("refused").reason == reason)
                } else {
                    // The handshake is complete on the peer's side when the node says no.
                    try await pair.peer.expect("linked")
                    #expect(try await pair.peer.expect("closed").reason == reason)
                }
                guard case .linkFailed(let failure) = try await NodeAndPeer.next(failures, "the link fails") else {
                    Issue.record("another event than the failure of the link")
                    return
                }
                #expect(failure.code == code)
            }
        }
    }

    @Test(
        "notice that the peer's clock is far away", arguments: Dialler.allCases, [86_400_000, -86_400_000] as [Int64])
    func clockSkewed(dialler: Dialler, ahead: Int64) async throws {
        try await withPair(dialler, peerArguments: ["--ahead=\(ahead)"]) { pair in
            let skews = pair.node.events.events(.named([.clockSkewed]))
            try await pair.link(expectingHeads: 0)
            guard case .clockSkewed(let skew) = try await NodeAndPeer.next(skews, "the clock is noticed") else {
                Issue.record("another event than that of the clock")
                return
            }
            #expect(skew.userID == pair.peerID)
            #expect(abs(skew.ahead - ahead) < 30_000)
        }
    }

    @Test("tell each other whether their ports can be reached", arguments: Dialler.allCases, [true, false])
    func dialBack(dialler: Dialler, isReachable: Bool) async throws {
        try await withPair(dialler) { pair in
            let recorder = await EventRecorder.observing(pair.node.events)
            try await pair.link(expectingHeads: 0)
            let listening = try #require(await pair.node.status().port)
            let port = isReachable ? listening : try LoopbackPort.next()
            try pair.peer.obey("dialback \(port)")
            let answer = try await pair.peer.expect("reachable")
            #expect(answer.nonce == 77)
            #expect(answer.reachable == (isReachable ? 1 : 0))
            // The node has dialled itself and said nothing: that is no failure.
            let said = try await pair.node.shell.reachability()
            #expect(said == [Reachability(userID: pair.peerID, isReachable: true)])
            #expect(await recorder.events.compactMap(\.linkFailure).isEmpty)
        }
    }

    @Test("give back what a peer has forgotten, who goes on in a new epoch")
    func forgetfulPeer() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            for (number, text) in ["one", "two", "three"].enumerated() {
                try await pair.peerSends(text, sequence: UInt64(number + 1))
            }
            try await pair.endLink(by: "drop")
            try pair.peer.obey("forget 1")
            try await pair.link(expectingHeads: 3)
            #expect(try await pair.peer.expect("asks").sequence == 3)
            // A receipt for what the peer does not have yet.
            #expect(try await pair.peer.expect("early").sequence == 3)
            let returned = try await pair.peer.expect("returned")
            #expect(returned.sequence == 3)
            #expect(returned.count == 1)
            // The first entry of the epoch says what it follows.
            #expect(try await pair.peer.expect("receipt").sequence == 1)
            try await pair.peerSends("four", sequence: 2)
            let history = try await pair.node.conversations.direct(with: pair.peerID).history()
            #expect(history.map(\.text) == ["one", "two", "three", "four"])
        }
    }

    @Test("keep both branches of a log that a peer has continued in two ways")
    func forkedLog() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            for (number, text) in ["one", "two", "three"].enumerated() {
                try await pair.peerSends(text, sequence: UInt64(number + 1))
            }
            try await pair.endLink(by: "drop")
            try pair.peer.obey("fork 1 another two")
            let received = pair.node.events.events(.messageReceived)
            try await pair.link(expectingHeads: 3)
            // The end that the peer names is in none of the node's branches; then it names the log's origin, too.
            #expect(try await pair.peer.expect("asks").count == 1)
            #expect(try await pair.peer.expect("early").sequence == 3)
            try await pair.peer.expect("unplaced")
            #expect(try await pair.peer.expect("asks").count ?? 0 > 1)
            #expect(try await pair.peer.expect("returned").count == 2)
            let other = try await NodeAndPeer.next(received, "the other branch arrives")
            #expect(other.text == "another two")
            // Each receipt names the log, and the chain hash says which branch it is about.
            let receipts = [try await pair.peer.expect("receipt"), try await pair.peer.expect("receipt")]
            #expect(receipts.map(\.sequence).sorted { $0 ?? 0 < $1 ?? 0 } == [1, 2])
            let history = try await pair.node.conversations.direct(with: pair.peerID).history()
            #expect(Set(history.map(\.text)) == ["one", "two", "three", "another two"])
            #expect(Set(history.map(\.messageID)).count == 4)

            try await pair.endLink(by: "drop")
            try await pair.link(expectingHeads: 3, count: 3)
            for _ in 0..<3 { try await pair.peer.expect("receipt") }
            try await pair.peerSends("four", sequence: 2)
        }
    }

    @Test("agree when the node's database is an older copy: the peer gives its messages back")
    func olderCopy() async throws {
        let folder = try TemporaryFolder()
        let home = Home(path: folder.file("home"))
        try home.create(name: "Swift")
        let database = folder.file("home") + "/history.db"
        let peer = try PythonPeer(["--name", "Python"])
        let address = PeerAddress(host: "127.0.0.1", port: try #require(try await peer.expect("listening").port))
        func run(_ body: (NodeAndPeer) async throws -> Void) async throws {
            try await NodeAndPeer.withNode(home, peers: [address]) { try await body(NodeAndPeer(node: $0, peer: peer)) }
            try await peer.expect("closed")
        }
        try await run { pair in
            try await pair.link(expectingHeads: 0)
            try await pair.nodeSends("one")
        }
        try copyDatabase(database, to: folder.file("copy"))
        try await run { pair in
            try await pair.link(expectingHeads: 0)
            try await pair.nodeSends("two")
            try await pair.nodeSends("three")
        }
        try copyDatabase(folder.file("copy"), to: database)
        try await run { pair in
            let recoveries = pair.node.events.events(.named([.historyRecovered]))
            let read = pair.node.events.events(.messageRead)
            try await pair.link(expectingHeads: 0)
            let wanted = try await peer.expect("wanted")
            #expect(wanted.sequence == 3)
            #expect(wanted.count == 1)
            #expect(try await peer.expect("taken").sequence == 2)
            #expect(try await peer.expect("taken").sequence == 3)
            guard case .historyRecovered(let recovery) = try await NodeAndPeer.next(recoveries, "they are back") else {
                Issue.record("another event than that of the history")
                return
            }
            #expect(recovery.count == 2)
            #expect(recovery.renamed.isEmpty)
            // The peer's receipt came before what it is about. That what comes back was delivered is no news.
            for sequence in UInt64(2)...3 {
                #expect(try await NodeAndPeer.next(read, "a receipt").messageID.sequence == sequence)
            }
            try await pair.nodeSends("four")
            let history = try await pair.node.conversations.direct(with: pair.peerID).history()
            #expect(history.map(\.text) == ["one", "two", "three", "four"])
        }
    }

    @Test("part with a word when a frame does not decode, and without one when the stream is unclear")
    func faultyFrames() async throws {
        for (order, reason) in [("malformed", 3), ("unclear", 0)] as [(String, UInt32)] {
            try await withPair(.peer) { pair in
                try await pair.link(expectingHeads: 0)
                try pair.peer.obey(order)
                #expect(try await pair.peer.expect("closed").reason == reason)
            }
        }
    }

    @Test("take a frame's length in more bytes than it needs, and a receipt for what nobody has")
    func tolerance() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            try pair.peer.obey("long")
            try await pair.peer.expect("pong")
            try pair.peer.obey("unknown")
            try await pair.peerSends("and the link goes on")
        }
    }

    @Test("take header names that are equal but for their normalization for one, of which the last counts")
    func equalNames() async throws {
        try await withPair(.peer) { pair in
            try await pair.link(expectingHeads: 0)
            let received = pair.node.events.events(.messageReceived)
            try pair.peer.obey("twice é")
            let message = try await NodeAndPeer.next(received, "the message arrives")
            #expect(message.headers == ["é": "second"])
        }
    }

    @Test("of different versions or networks have no link, and the node says why in the clear")
    func refusals() async throws {
        for (arguments, record) in [
            (["--version=1"], "00000402"), (["--network-key", Hex.text(Self.networkKey)], "00000502"),
        ] {
            try await withPair(.peer, peerArguments: arguments) { pair in
                try pair.peer.obey("link")
                #expect(try await pair.peer.expect("refused").record == record)
            }
        }
    }

    @Test("compute the same test vectors")
    func vectors() throws {
        let process = Process()
        process.executableURL = try PythonEnvironment.interpreter()
        let program = PackageFolder.fixtures(of: "EarshotTests").appending(path: "check_vectors.py")
        let vectors = PackageFolder.root.appending(path: "docs/vectors.json")
        process.arguments = ["-B", "-W", "ignore", program.path(), vectors.path()]
        try process.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "which values differ is printed above")
    }

    /// Copies a database, with the log that it may have.
    private func copyDatabase(_ source: String, to target: String) throws {
        for part in ["", "-wal", "-shm"] {
            if FileManager.default.fileExists(atPath: target + part) {
                try FileManager.default.removeItem(atPath: target + part)
            }
            if part != "-shm", FileManager.default.fileExists(atPath: source + part) {
                try FileManager.default.copyItem(atPath: source + part, toPath: target + part)
            }
        }
    }

    /// A node, and a peer that has done nothing yet.
    private func withPair(
        _ dialler: Dialler, networkKey: [UInt8]? = nil, peerArguments: [String] = [],
        _ body: (NodeAndPeer) async throws -> Void
    ) async throws {
        var arguments = ["--name", "Python"] + peerArguments
        if let networkKey { arguments += ["--network-key", Hex.text(networkKey)] }
        switch dialler {
        case .node:
            let peer = try PythonPeer(arguments)
            let port = try #require(try await peer.expect("listening").port)
            let address = PeerAddress(host: "127.0.0.1", port: port)
            try await NodeAndPeer.withNode("Swift", networkKey: networkKey, peers: [address]) { node in
                try await body(NodeAndPeer(node: node, peer: peer))
            }
        case .peer:
            try await NodeAndPeer.withNode("Swift", networkKey: networkKey) { node in
                let port = try #require(await node.status().port)
                try await body(NodeAndPeer(node: node, peer: try PythonPeer(arguments + ["--dial", String(port)])))
            }
        }
    }
}
