import Earshot
import EarshotDiscovery
import EarshotForgery
import EarshotGateway
import Foundation
import TestSupport

extension Attack {
    // MARK: - Discovery

    static let discovery: [Attack] = [crowd, claimedName, wrongPlace, silentPlace, advertisedAnew]

    private static let crowd = Attack(
        kind: .discovery, name: "12,000 devices that nobody has are advertised",
        expected: "at most \(Limits.discoveredDevices) are kept; memory grows by 64 MiB at most"
    ) { arena, _ in
        let before = residentBytes()
        let records = try (0..<12_000).map { number in
            try Advertiser.record(number, name: "crowd \(number)", userID: Mallory().userID, port: 9)
        }
        for record in records { arena.advertiser.report(.appeared(record)) }
        var devices = 0
        for _ in 0..<200 where devices < Limits.discoveredDevices {
            try await Task.sleep(for: .milliseconds(50))
            devices = await arena.alice.node.status().devices
        }
        try await arena.checkHonestPair()
        let growth = (residentBytes() - before) >> 20
        for record in records { arena.advertiser.report(.disappeared(record.key)) }
        return Outcome(
            "\(devices) kept; memory grew by \(growth) MiB", devices <= Limits.discoveredDevices && growth <= 64)
    }

    private static let claimedName = Attack(
        kind: .discovery, name: "the name bob is advertised by a device that nobody has",
        expected: "bob is who he was; nobody new is known"
    ) { arena, _ in
        let record = try Advertiser.record(20_001, name: "bob", userID: Mallory().userID, port: 9)
        let before = await arena.alice.node.users.all.count
        arena.advertiser.report(.appeared(record))
        try await Task.sleep(for: .milliseconds(300))
        let bob = try await arena.alice.node.users.named("bob").userID
        let after = await arena.alice.node.users.all.count
        arena.advertiser.report(.disappeared(record.key))
        return Outcome(
            "bob is \(bob == arena.bob.node.userID ? "who he was" : "another"); \(after - before) new users",
            bob == arena.bob.node.userID && after == before)
    }

    private static let wrongPlace = Attack(
        kind: .discovery, name: "bob's key is advertised where carol's node listens",
        expected: "no link; bob is who he was"
    ) { arena, _ in
        let record = try Advertiser.record(
            20_002, name: "bob", userID: arena.bob.node.userID, port: arena.carol.port)
        arena.advertiser.report(.appeared(record))
        try await Task.sleep(for: .milliseconds(500))
        let links = await arena.alice.node.status().links.filter { $0.userID == arena.carol.node.userID }.count
        arena.advertiser.report(.disappeared(record.key))
        return Outcome("\(links) links to carol", links == 0)
    }

    private static let silentPlace = Attack(
        kind: .discovery,
        name: "two nodes that never met are advertised where connections are accepted and nothing is said",
        expected: "they link within 20 s"
    ) { arena, source in
        let trap = try SilentListener()
        let advertisers = [Advertiser(), Advertiser()]
        var nodes: [RunningNode] = []
        for (number, advertiser) in advertisers.enumerated() {
            let home = try Arena.home("sought \(number) \(source)", in: arena.folder)
            nodes.append(try await RunningNode.start(home, sources: [advertiser]))
        }
        let start = ContinuousClock.now
        var areLinked = false
        while !areLinked, ContinuousClock.now - start < .seconds(20) {
            for (advertiser, other) in zip(advertisers, nodes.reversed()) {
                // Repeated advertisements change nothing, and nothing is advertised before the node listens.
                for record in try records(of: other, and: trap) { advertiser.report(.appeared(record)) }
            }
            try await Task.sleep(for: .milliseconds(50))
            areLinked = await nodes[0].isLinked(to: nodes[1].node.userID)
        }
        let time = ContinuousClock.now - start
        for node in nodes { try await node.stop() }
        return Outcome("\(areLinked ? "linked" : "not linked") after \(time.components.seconds) s", areLinked)
    }

    /// The address of a node and, dialled before it, one where it is not.
    private static func records(of running: RunningNode, and trap: SilentListener) throws -> [ServiceRecord] {
        let node = running.node
        let announcement = Announcement(
            deviceID: node.deviceID, name: node.name, fingerprint: node.userID.fingerprint.filter { $0 != " " },
            protocolVersion: Advertisement.protocolVersion, networkTag: nil)
        let places = [("forged", "127.0.0.1", trap.port), ("honest", "127.0.0.2", running.port)]
        return places.map { instance, host, port in
            ServiceRecord(
                key: ServiceRecord.Key(instance: instance, interface: "lo", family: .ipv4),
                announcement: announcement, addresses: [PeerAddress(host: host, port: port)])
        }
    }

    private static let advertisedAnew = Attack(
        kind: .discovery, name: "a device that a node does not admit is advertised anew forty times in four seconds",
        expected: "dialled at most 8 times"
    ) { arena, source in
        let (advertiser, bob) = (Advertiser(), arena.bob)
        let home = try Arena.home("guarded \(source)", in: arena.folder)
        let guarded = try await RunningNode.start(home, sources: [advertiser])
        await guarded.node.users.admit(.only([]))
        let fingerprint = bob.node.userID.fingerprint.filter { $0 != " " }
        for number in 0..<40 {
            let announcement = Announcement(
                deviceID: bob.node.deviceID, name: try UserName("bob \(number)"), fingerprint: fingerprint,
                protocolVersion: Advertisement.protocolVersion, networkTag: nil)
            advertiser.report(
                .appeared(
                    ServiceRecord(
                        key: ServiceRecord.Key(instance: "bob", interface: "lo", family: .ipv4),
                        announcement: announcement, addresses: [PeerAddress(host: "127.0.0.1", port: bob.port)])))
            try await Task.sleep(for: .milliseconds(100))
        }
        let dials = await guarded.events.events.count { event in
            if case .linkFailed(let failure) = event { failure.closeReason == "notAdmitted" } else { false }
        }
        try await guarded.stop()
        return Outcome("dialled \(dials) times", dials > 0 && dials <= 8)
    }

    // MARK: - The local API

    static let localAPI: [Attack] = [
        socketMode,
        .request(
            "a path that climbs out of the API", status: 404, "GET /v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"),
        .request(
            "an encoded path that climbs out", status: 404,
            "GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"),
        .request("a user that nobody is", status: 404, "GET /v1/users/nobody HTTP/1.1\r\nHost: x\r\n\r\n"),
        .request("a method that is not there", status: 405, "DELETE /v1/users HTTP/1.1\r\nHost: x\r\n\r\n"),
        .request(
            "a page of a million messages", status: 400,
            "GET /v1/conversations/bob/messages?limit=1000000 HTTP/1.1\r\nHost: x\r\n\r\n"),
        .request(
            "a page before a message that cannot be", status: 400,
            "GET /v1/conversations/bob/messages?before=x HTTP/1.1\r\nHost: x\r\n\r\n"),
        .post("a body that is no JSON", status: 400, "{{{{"),
        .post("JSON nested 100,000 deep", status: 400, String(repeating: "[", count: 100_000)),
        .post("a message without a recipient", status: 400, "{\"text\":\"forged\"}"),
        .post(
            "a text of 64 KiB and a byte", status: 422,
            "{\"to\":\"bob\",\"text\":\"\(String(repeating: "x", count: Limits.textBytes + 1))\"}"),
        .request(
            "a body that announces 10 GB", status: 413,
            "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000000\r\n\r\n{"
        ),
        .request(
            "a body over the limit", status: 413, post(String(repeating: " ", count: GatewayLimits.bodyBytes + 1))),
        .request("bytes that are no HTTP", status: 400, "\u{1}\u{2}\u{3}\r\n\r\n"),
        .request(
            "a header of 1 MB", status: 431,
            "GET /v1/node HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "y", count: 1 << 20))\r\n\r\n"),
        manyClients,
    ]

    private static let socketMode = Attack(
        kind: .localAPI, name: "another user of the machine opens the socket", expected: "its mode is 0600"
    ) { arena, _ in
        let mode = try FileManager.default.attributesOfItem(atPath: arena.alice.node.home.socketFile)[.posixPermissions]
        let value = (mode as? Int) ?? 0
        return Outcome("its mode is 0\(String(value, radix: 8))", value == 0o600)
    }

    private static func post(_ body: String) -> String {
        "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func post(_ name: String, status: Int, _ body: String) -> Attack {
        request(name, status: status, post(body))
    }

    private static func request(_ name: String, status: Int, _ request: String) -> Attack {
        Attack(kind: .localAPI, name: name, expected: "HTTP \(status); the API goes on") { arena, _ in
            let path = arena.alice.node.home.socketFile
            let (answer, next) = try await blocking {
                (try LocalRequest.send(request, to: path), try LocalRequest.send(LocalRequest.status, to: path))
            }
            return Outcome(
                "HTTP \(answer.map(String.init) ?? "nothing"); then \(next.map(String.init) ?? "nothing")",
                answer == status && next == 200)
        }
    }

    private static let manyClients = Attack(
        kind: .localAPI, name: "more clients that say nothing than the API has places for",
        expected: "the node talks on, and the API answers meanwhile"
    ) { arena, _ in
        let path = arena.alice.node.home.socketFile
        let count = GatewayLimits.connections + 200
        let held = try await blocking { try (0..<count).map { _ in try LocalRequest.open(path) } }
        try await arena.checkHonestPair()
        let answer = try await blocking {
            defer { for descriptor in held { close(descriptor) } }
            return try LocalRequest.send(LocalRequest.status, to: path)
        }
        return Outcome("HTTP \(answer.map(String.init) ?? "nothing")", answer == 200)
    }

    // MARK: - Faults

    static let faults: [Attack] = [
        .opening("a second node on the same home", code: "homeInUse") { arena in arena.alice.node.home },
        .opening("a home that others may read", code: "looseHome") { arena in
            let home = try Arena.home("loose", in: arena.folder)
            chmod(home.path, 0o755)
            return home
        },
        .opening("a device key that others may read", code: "looseHome") { arena in
            let home = try Arena.home("loose key", in: arena.folder)
            chmod(home.path + "/device.key", 0o644)
            return home
        },
        .opening("a device key that is cut off", code: "unusableHome") { arena in
            let home = try Arena.home("short key", in: arena.folder)
            truncate(home.path + "/device.key", 20)
            return home
        },
        .opening("the credential of another home", code: "unusableHome") { arena in
            let (home, other) = (try Arena.home("mixed", in: arena.folder), try Arena.home("other", in: arena.folder))
            try FileManager.default.removeItem(atPath: home.path + "/credential")
            try FileManager.default.copyItem(atPath: other.path + "/credential", toPath: home.path + "/credential")
            return home
        },
        .opening("a database whose first page is overwritten", code: "storeDamaged") { arena in
            let home = try Arena.home("damaged", in: arena.folder)
            try await RunningNode.start(home).stop()
            let database = home.path + "/history.db"
            // A node that has stopped can still be read from, and until it is gone its write-ahead log has this page, too.
            for _ in 0..<200 where FileManager.default.fileExists(atPath: database + "-wal") {
                try await Task.sleep(for: .milliseconds(50))
            }
            try damage(database, at: 0)
            return home
        },
        .opening("a database from the future", code: "storeDamaged", also: "storeUnavailable") { arena in
            let home = try Arena.home("text", in: arena.folder)
            try Data("this is no database at all, and never was".utf8).write(
                to: URL(filePath: home.path + "/history.db"))
            return home
        },
        .opening("a home without an identity", code: "notInitialized") { arena in
            let home = try Arena.home("nobody", in: arena.folder)
            try FileManager.default.removeItem(atPath: home.path + "/identity.key")
            return home
        },
        killed,
    ]

    private static func damage(_ path: String, at offset: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
        try file.close()
    }

    private static func opening(
        _ name: String, code: String, also other: String? = nil,
        _ home: @escaping @Sendable (Arena) async throws -> Home
    ) -> Attack {
        Attack(kind: .fault, name: name, expected: "refused: \(code)") { arena, _ in
            let home = try await home(arena)
            do {
                try await RunningNode.start(home).stop()
                return Outcome("it ran", false)
            } catch let error as EarshotError {
                let isExpected = [code, other].contains(error.code.description)
                return Outcome("\(error.code.description): \(error.message)", isExpected)
            }
        }
    }

    private static let killed = Attack(
        kind: .fault, name: "killed (SIGKILL) in the middle of a burst, five times",
        expected: "what was accepted is there, once and in order, and arrives"
    ) { arena, source in
        let home = try Arena.home("killed \(source)", in: arena.folder)
        var accepted: Set<Int> = []
        var next = 0
        for _ in 0..<5 {
            let first = next
            let numbers = try await blocking {
                try Burst.runAndKill(
                    home: home.path, peer: arena.bob.port, user: arena.bob.node.userID, from: first)
            }
            accepted.formUnion(numbers)
            // Nobody knows whether the next one was accepted, so no other message gets its number.
            next = numbers.upperBound + 1
        }
        let node = try await RunningNode.start(home, peers: [arena.bob.port])
        let texts: @Sendable () async -> [String] = { await arena.bob.events.receivedTexts(from: node.node.userID) }
        let wanted = accepted
        try await arena.bob.events.until("everything arrives") {
            await Set(texts().compactMap { Int($0) }).isSuperset(of: wanted)
        }
        try await node.events.until("nothing waits") { await node.node.status().undeliveredMessages == 0 }
        try await node.stop()
        let numbers = await texts().compactMap { Int($0) }
        let isWhole =
            Set(numbers).isSuperset(of: accepted) && Set(numbers).count == numbers.count
            && numbers == numbers.sorted()
        return Outcome("\(accepted.count) accepted, \(numbers.count) arrived", isWhole && !accepted.isEmpty)
    }
}

/// Requests to the local API, byte for byte.
enum LocalRequest {
    static let status = "GET /v1/node HTTP/1.1\r\nHost: x\r\n\r\n"

    static func open(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw HostileSocket.Failure(description: "the local API does not answer: errno \(errno)")
        }
        return descriptor
    }

    /// - Returns: the status of the answer; `nil` if there is none.
    static func send(_ request: String, to path: String) throws -> Int? {
        let socket = HostileSocket(descriptor: try open(path))
        socket.write(Array(request.utf8))
        guard let answer = socket.read() else { return nil }
        let words = String(decoding: answer.prefix(64), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }

    /// - Returns: the whole of a short answer, with its head.
    static func answer(_ request: String, from path: String) throws -> String {
        let socket = HostileSocket(descriptor: try open(path))
        socket.setPatience(1)
        socket.write(Array(request.utf8))
        var answer: [UInt8] = []
        while let more = socket.read(), !more.isEmpty { answer += more }
        return String(decoding: answer, as: UTF8.self)
    }
}
