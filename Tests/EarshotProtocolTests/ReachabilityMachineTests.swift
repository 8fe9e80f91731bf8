import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The machine of reachability")
struct ReachabilityMachineTests {
    private var machine = ReachabilityMachine()
    private let alice = device("alice")
    private let links = (first: ConnectionID(1), second: ConnectionID(2))

    private mutating func ask(_ requestID: UInt64 = 1) -> [ReachabilityMachine.Action] {
        machine.check(
            port: 7001, requestID: RequestID(requestID),
            among: [(alice.userID, links.first), (device("bob").userID, links.second)], now: 0)
    }

    @Test("ends a check when everybody has answered or gone, and answers everybody who asked")
    mutating func check() {
        #expect(ask().count == 2)
        #expect(ask(2).isEmpty, "whoever asks meanwhile waits for the same answer")
        #expect(machine.answered(nonce: 1, isReachable: true, on: links.first).isEmpty)
        let answers = [
            Reachability(userID: alice.userID, isReachable: true),
            Reachability(userID: device("bob").userID, isReachable: nil),
        ]
        #expect(machine.ended(links.second) == [.answer(RequestID(1), answers), .answer(RequestID(2), answers)])
        #expect(machine.deadline == .max)
    }

    @Test("believes no answer with another number or on another link")
    mutating func unasked() {
        _ = ask()
        #expect(machine.answered(nonce: 1, isReachable: true, on: links.second).isEmpty)
        #expect(machine.answered(nonce: 3, isReachable: true, on: links.first).isEmpty)
        #expect(machine.tick(now: machine.deadline - 1).isEmpty)
        let answers = [alice, device("bob")].map { Reachability(userID: $0.userID, isReachable: nil) }
        #expect(machine.tick(now: machine.deadline) == [.answer(RequestID(1), answers)])
    }

    @Test("tries so many connections at once for all askers")
    mutating func crowd() throws {
        func asked(_ number: Int) -> [ReachabilityMachine.Action] {
            machine.asked(
                device("asker \(number)").deviceID, at: "10.0.0.1", port: 9, nonce: 5,
                on: ConnectionID(UInt64(100 + number)), now: 0)
        }
        var probes: [ProbeID] = []
        for number in 0..<Limits.concurrentDialBacks {
            guard case .probe(let probe, _) = asked(number).first else { continue }
            probes.append(probe)
        }
        #expect(probes.count == Limits.concurrentDialBacks)
        #expect(asked(Limits.concurrentDialBacks).isEmpty)
        _ = machine.probed(probes[0], isReachable: true)
        #expect(!asked(Limits.concurrentDialBacks).isEmpty)
    }

    @Test("tries the asker's own host, one connection a link and one in five seconds a device")
    mutating func dialBack() throws {
        func asked(_ device: LocalDevice, on link: ConnectionID, at now: Int64) -> [ReachabilityMachine.Action] {
            machine.asked(device.deviceID, at: "10.0.0.1", port: 9, nonce: 5, on: link, now: now)
        }
        guard case .probe(let probe, let address) = try #require(asked(alice, on: links.first, at: 0).first) else {
            Issue.record("a dial-back begins with a probe")
            return
        }
        #expect(address == PeerAddress(host: "10.0.0.1", port: 9))
        #expect(asked(device("bob"), on: links.first, at: 0).isEmpty)
        #expect(asked(alice, on: links.second, at: Timing.dialBackInterval - 1).isEmpty)
        let answer = Frame.dialBackResult(nonce: 5, isReachable: false)
        #expect(machine.probed(probe, isReachable: false) == [.send(answer, links.first)])
        #expect(machine.probed(probe, isReachable: true).isEmpty)
        #expect(!asked(alice, on: links.second, at: Timing.dialBackInterval).isEmpty)
    }
}
