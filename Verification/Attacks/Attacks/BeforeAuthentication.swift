import Earshot
import EarshotForgery
import Foundation

extension Attack {
    /// A first word and a first Noise message: an ephemeral key, in the clear.
    static func opening(_ word: [UInt8] = Mallory().hello, key: [UInt8] = [UInt8](repeating: 9, count: 32)) -> [UInt8] {
        HostileSocket.framed(word) + HostileSocket.framed(key)
    }

    static let beforeAuthentication: [Attack] =
        [
            .bytes("random bytes", code: "malformed", [UInt8](repeating: 0xff, count: 3000)),
            .bytes("an HTTP request", code: "malformed", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
            .bytes("an SSH greeting", code: "malformed", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)),
            .bytes(
                "a handshake message over 2048 bytes", code: "malformed",
                Mallory().hello + [UInt8](repeating: 1, count: 2049)),
            .bytes("a message of length 0", code: "violation", [0, 0, 0, 0]),
            .bytes("a first word that is no protobuf", code: "malformed", HostileSocket.framed([0xff, 0xff, 0xff])),
            .bytes("a Noise message that is too short", code: "unauthentic", opening(key: [1, 2, 3])),
            .bytes(
                "an ephemeral key of low order", code: "unauthentic", opening(key: [UInt8](repeating: 0, count: 32))),
            .bytes(
                "a first word twice", code: "unauthentic",
                HostileSocket.framed(Mallory().hello) + HostileSocket.framed(Mallory().hello)),
            portScan, oneByte, cutOff, silence, slowBytes, halfOpen, manyFromOneAddress, halfOpenFromMany, fast,
        ]

    private static let portScan = Attack(
        kind: .beforeAuthentication, name: "a connection that is closed without a byte", expected: "nothing, no event"
    ) { arena, source in
        _ = try await blocking { try HostileSocket(to: arena.alice.port, from: source).isClosed }
        let failure = await arena.alice.events.failure(from: source, within: .milliseconds(300))
        return Outcome(failure == nil ? "no event" : "event \(failure?.code ?? "")", failure == nil)
    }

    private static let oneByte = Attack(
        kind: .beforeAuthentication, name: "one byte, then closed", expected: "event closedByPeer"
    ) { arena, source in
        _ = try await blocking { try HostileSocket(to: arena.alice.port, from: source).write([0]) }
        let failure = await arena.alice.events.failure(from: source)
        return Outcome("event \(failure?.code ?? "none")", failure?.code == "closedByPeer")
    }

    private static let cutOff = Attack(
        kind: .beforeAuthentication, name: "the last handshake message cut off in its middle",
        expected: "no link; event closedByPeer"
    ) { arena, source in
        let mallory = Mallory(name: "cut off")
        try await blocking {
            let socket = try HostileSocket(to: arena.alice.port, from: source)
            var handshake = try mallory.handshake(.initiator)
            socket.write(
                HostileSocket.framed(mallory.hello) + HostileSocket.framed(try handshake.writeMessage(payload: [])))
            guard let second = socket.readMessage() else { throw HostileSocket.Failure(description: "no answer") }
            _ = try handshake.readMessage(second)
            let third = HostileSocket.framed(try handshake.writeMessage(payload: mallory.introduction))
            socket.write(Array(third.prefix(third.count / 2)))
        }
        let failure = await arena.alice.events.failure(from: source)
        let isKnown = await arena.alice.node.users.user(mallory.userID) != nil
        return Outcome("event \(failure?.code ?? "none")", failure?.code == "closedByPeer" && !isKnown)
    }

    /// - Parameter dribble: bytes that are sent bit by bit, for as long as the connection stands.
    private static func timedOut(
        _ name: String, _ hold: @escaping @Sendable (HostileSocket) throws -> Void
    ) -> Attack {
        Attack(
            kind: .beforeAuthentication, name: name, expected: "closed after 10 s; event timeout", isSlow: true
        ) { arena, source in
            let start = ContinuousClock.now
            let isClosed = try await blocking {
                let socket = try HostileSocket(to: arena.alice.port, from: source)
                socket.setPatience(15)
                try hold(socket)
                return socket.readToEnd() != nil
            }
            let seconds = start.duration(to: .now)
            let failure = await arena.alice.events.failure(from: source)
            let text =
                "\(isClosed ? "closed" : "open") after \(seconds.components.seconds) s; event \(failure?.code ?? "none")"
            return Outcome(
                text, isClosed && failure?.code == "timeout" && seconds > .seconds(9) && seconds < .seconds(13))
        }
    }

    private static let silence = timedOut("a connection that says nothing") { _ in }

    private static let slowBytes = timedOut("a handshake of one byte in 400 ms") { socket in
        for byte in opening() {
            guard socket.write([byte]), !socket.isClosed else { return }
            usleep(400_000)
        }
    }

    private static let halfOpen = timedOut("a handshake that stops half-way") { socket in
        socket.write(opening())
        _ = socket.readMessage()
    }

    private static let manyFromOneAddress = Attack(
        kind: .beforeAuthentication, name: "100 connections from one address, held open",
        expected: "64 stay; another from there finishes its handshake"
    ) { arena, source in
        try await blocking {
            let held = try (0..<100).map { _ in try HostileSocket(to: arena.alice.port, from: source) }
            let link = try HostileLink.connect(Mallory(name: "from \(source)"), to: arena.alice.port, from: source)
            try link.expectHeads()
            usleep(200_000)
            let open = held.count { !$0.isClosed }
            return Outcome("\(open) stay, and the last is linked", open <= Limits.pendingHandshakesPerAddress)
        }
    }

    private static let halfOpenFromMany = Attack(
        kind: .beforeAuthentication, name: "320 half-open handshakes from 8 addresses, held open",
        expected: "256 stay; a newcomer finishes its handshake"
    ) { arena, source in
        let base = source.dropLast(2)
        return try await blocking {
            let held = try (0..<320).map { number in
                let socket = try HostileSocket(to: arena.alice.port, from: "\(base).\(2 + number % 8)")
                socket.write(opening())
                return socket
            }
            let start = ContinuousClock.now
            let link = try HostileLink.connect(Mallory(name: "newcomer"), to: arena.alice.port, from: source)
            try link.expectHeads()
            let elapsed = start.duration(to: .now)
            usleep(200_000)
            let open = held.count { !$0.isSilentlyClosed }
            return Outcome(
                "\(open) stay, the newcomer is linked after \(elapsed.milliseconds) ms",
                open <= Limits.pendingHandshakes && elapsed < .seconds(2))
        }
    }

    private static let fast = Attack(
        kind: .beforeAuthentication, name: "1,000 handshakes begun from one address as fast as can be",
        expected: "answered at most \(Limits.connectionsPerAddress) and 16 a second; event overloaded"
    ) { arena, source in
        let start = ContinuousClock.now
        let answered = try await blocking {
            try (0..<1000).count { _ in
                let socket = try HostileSocket(to: arena.alice.port, from: source)
                socket.write(opening())
                return socket.readMessage() != nil
            }
        }
        let seconds = start.duration(to: .now).milliseconds / 1000
        let bound = Limits.connectionsPerAddress + (seconds + 1) * Limits.connectionsPerAddressAndSecond
        let told = await arena.alice.events.first { event -> Bool? in
            if case .linkFailed(let failure) = event, failure.code == "overloaded" { true } else { nil }
        }
        return Outcome(
            "\(answered) answered; event \(told == true ? "overloaded" : "none")", answered <= bound && told == true)
    }
}

extension HostileSocket {
    /// Whether the other end has closed, whatever it sent before that.
    var isSilentlyClosed: Bool {
        setPatience(0)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            return count == 0 || errno != EAGAIN
        }
    }
}

extension Duration {
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}
