import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A node")
struct NodeMachineTests {
    @Test("lets no entry out before it is committed")
    func commitsBeforeItSends() {
        var pair = MachinePair.linked()
        pair.send("hello")
        #expect(pair.alice.commits.count == 1)
        #expect(pair.alice.output.isEmpty)
        #expect(pair.alice.events.isEmpty && pair.alice.completions.isEmpty)
        pair.commitAlice()
        #expect(!pair.alice.output.isEmpty)
        #expect(pair.alice.events.names == [.messageQueued])
        #expect(pair.alice.completions.count == 1)
    }

    @Test("gives no receipt and announces no message before it is committed")
    func receiptAfterCommit() {
        var pair = MachinePair.linked()
        pair.send("hello")
        pair.commitAlice()
        pair.exchange()
        #expect(pair.bob.commits.count == 1)
        #expect(pair.bob.output.isEmpty && pair.bob.events.isEmpty)
        pair.commitBob()
        #expect(pair.bob.events.names == [.messageReceived])
        #expect(!pair.bob.output.isEmpty)
    }

    @Test("tells queued, sent and delivered once each, in this order, each after its commit")
    func statesInOrder() {
        var pair = MachinePair.linked()
        pair.send("hello")
        pair.commitAlice()
        pair.exchange()
        pair.commitBob()
        pair.exchange()
        #expect(pair.alice.events.names == [.messageQueued])
        pair.commitAlice()
        #expect(pair.alice.events.names == [.messageQueued, .messageSent, .messageDelivered])
        pair.settle()
        #expect(pair.alice.events.count == 3)
    }

    @Test("tells whether more waits for the disk than what is being written")
    func unwritten() {
        var pair = MachinePair.linked()
        pair.send("first", request: 1)
        var waits = [pair.alice.machine.hasUnwritten]
        pair.send("second", request: 2)
        waits.append(pair.alice.machine.hasUnwritten)
        pair.commitAlice()
        waits.append(pair.alice.machine.hasUnwritten)
        #expect(waits == [false, true, false])
    }

    @Test("commits together what comes while a commit is under way, under one signature")
    func groupCommit() {
        var pair = MachinePair.linked()
        for number in 1...100 { pair.send("message \(number)", request: UInt64(number)) }
        #expect(pair.alice.commits.count == 1)
        pair.commitAlice()
        #expect(pair.alice.commits.count == 1)
        let entries = pair.alice.commits[0].entries.flatMap(\.entries)
        #expect(entries.count == 99)
        #expect(entries.filter { $0.checkpoint != nil }.map(\.sequence) == [100])
        pair.settle()
        #expect(pair.bob.events.names == Array(repeating: .messageReceived, count: 100))
    }

    @Test("takes calls that come at once into one commit, and answers each of them", arguments: [false, true])
    func callsAtOnce(areHandedOverAtOnce: Bool) {
        var pair = MachinePair.linked()
        let (peer, now) = (pair.bob.local.userID, pair.now)
        let calls = Self.calls(["first", "", "second"])
        let actions = pair.alice.machine.together(now: now) { machine in
            if areHandedOverAtOnce {
                _ = machine.send(calls, to: .user(peer), now: now)
            } else {
                for call in calls {
                    _ = machine.send(call.drafts, to: .user(peer), requestID: call.requestID, now: now)
                }
            }
        }
        pair.alice.perform(actions)
        #expect(pair.alice.commits.map { $0.entries.map(\.entries.count) } == [[2]])
        // An empty text is refused at once, and holds up nobody.
        #expect(Set(pair.alice.completions.keys) == [RequestID(1)])
        pair.commitAlice()
        let texts = (0..<3).map { number in
            try? pair.alice.completions[RequestID(number)]?.get().messages.map(\.text)
        }
        #expect(texts == [["first"], nil, ["second"]])
    }

    private static func calls(_ texts: [String]) -> [SendCall] {
        texts.enumerated().map { number, text in
            SendCall(requestID: RequestID(UInt64(number)), drafts: [.message(MessageDraft(text))])
        }
    }

    @Test("tells each of the calls that come at once why nothing goes there")
    func callsToNobody() {
        var pair = MachinePair.linked()
        let peer = pair.bob.local.userID
        let blocking = pair.alice.machine.decide(.block, about: peer, requestID: RequestID(9), now: pair.now)
        pair.alice.perform(blocking)
        pair.settle()
        pair.alice.perform(pair.alice.machine.send(Self.calls(["first", "second"]), to: .user(peer), now: pair.now))
        for number: UInt64 in 0...1 {
            #expect { try pair.alice.completions[RequestID(number)]?.get() } throws: {
                ($0 as? ProtocolError)?.code == .blocked
            }
        }
        #expect(pair.alice.commits.isEmpty)
    }

    @Test("says of a full disk that it is full", arguments: [true, false])
    func diskFull(isDiskFull: Bool) throws {
        var pair = MachinePair.linked()
        pair.send("lost")
        pair.alice.perform(pair.alice.machine.commitFailed("no space", isDiskFull: isDiskFull, now: pair.now))
        let completion = try #require(pair.alice.completions[RequestID(1)])
        #expect(throws: ProtocolError(isDiskFull ? .storageFull : .storage, "no space")) { try completion.get() }
    }

    @Test("accepts nothing that the disk refuses, and goes on where it stood")
    func commitFails() throws {
        var pair = MachinePair.linked()
        pair.send("lost")
        let refused = pair.alice.commits.removeFirst()
        pair.alice.perform(pair.alice.machine.commitFailed("no space", now: pair.now))
        #expect(throws: ProtocolError.self) { try pair.alice.completions[RequestID(1)]?.get() }
        #expect(pair.alice.events.names == [.storageFailed])
        #expect(pair.alice.output.isEmpty)

        pair.now.uptime += Timing.commitRetry
        pair.now.wallClock += Timing.commitRetry
        pair.send("kept", request: 2)
        let commit = try #require(pair.alice.commits.first)
        #expect(commit.entries.flatMap(\.entries).map(\.sequence) == [1])
        // Nothing that the refused commit would have begun is named by the next.
        #expect(Set(commit.deliveries.map(\.logID)).isDisjoint(with: refused.logs.map(\.logID)))
        pair.settle()
        #expect(pair.alice.events.names.contains(.storageRecovered))
        #expect(pair.bob.events.names == [.messageReceived])
    }

    @Test("tries again until the disk takes what is true, and does not spin meanwhile")
    func retries() {
        var pair = MachinePair.linked()
        pair.send("hello")
        pair.commitAlice()
        pair.exchange()
        pair.commitBob()
        pair.exchange()
        for _ in 0..<3 {
            // Only the change of state is left to write, and the disk is full.
            #expect(pair.alice.commits.count == 1)
            pair.alice.commits.removeFirst()
            pair.alice.perform(pair.alice.machine.commitFailed("no space", now: pair.now))
            #expect(pair.alice.machine.deadline(now: pair.now) == pair.now.uptime + Timing.commitRetry)
            pair.now.uptime += Timing.commitRetry
            pair.alice.perform(pair.alice.machine.tick(now: pair.now))
        }
        pair.commitAlice()
        #expect(
            pair.alice.events.names == [
                .messageQueued, .storageFailed, .storageRecovered, .messageSent, .messageDelivered,
            ])
    }

    @Test("answers a cancellation that the disk refuses, and the message stays")
    func cancelFails() {
        var pair = MachinePair.linked()
        pair.alice.perform(pair.alice.machine.disconnected(pair.alice.connectionID, now: pair.now))
        pair.settle()
        pair.send("stays")
        pair.commitAlice()
        let messageID = MessageID(log: pair.alice.log(to: pair.bob.local.userID).record.logID, sequence: 1)
        pair.alice.perform(pair.alice.machine.cancel(messageID, requestID: RequestID(2), now: pair.now))
        pair.alice.commits.removeFirst()
        pair.alice.perform(pair.alice.machine.commitFailed("no space", now: pair.now))
        #expect(throws: ProtocolError.self) { try pair.alice.completions[RequestID(2)]?.get() }
        #expect(pair.alice.machine.undeliveredCount == 1)
    }

    @Test("asks a peer again for what its own disk refused")
    func receiverCommitFails() {
        var pair = MachinePair.linked()
        pair.send("hello")
        pair.commitAlice()
        pair.exchange()
        pair.bob.commits.removeFirst()
        pair.bob.perform(pair.bob.machine.commitFailed("no space", now: pair.now))
        pair.exchange()
        #expect(pair.bob.isDisconnected && pair.alice.isDisconnected)
        #expect(!pair.bob.events.names.contains(.messageReceived))
        #expect(!pair.alice.events.names.contains(.messageDelivered))
    }

    @Test("takes back what was not offered, and never what was")
    func cancel() {
        var pair = MachinePair.linked()
        pair.send("gone")
        pair.commitAlice()
        let logID = pair.alice.log(to: pair.bob.local.userID).record.logID
        pair.alice.perform(
            pair.alice.machine.cancel(MessageID(log: logID, sequence: 1), requestID: RequestID(2), now: pair.now))
        #expect(throws: ProtocolError.self) { try pair.alice.completions[RequestID(2)]?.get() }

        pair.settle()
        pair.alice.perform(pair.alice.machine.disconnected(pair.alice.connectionID, now: pair.now))
        pair.settle()
        pair.send("kept back", request: 3)
        pair.settle()
        pair.alice.perform(
            pair.alice.machine.cancel(MessageID(log: logID, sequence: 2), requestID: RequestID(4), now: pair.now))
        pair.settle()
        #expect(throws: Never.self) { try pair.alice.completions[RequestID(4)]?.get() }
        #expect(pair.alice.events.names.last == .messageFailed)
    }

    @Test("bounds the handshakes of strangers, altogether and of one address")
    func boundsHandshakes() {
        var pair = MachinePair()
        var refused = 0
        for number in 0..<Limits.pendingHandshakesPerAddress + 5 {
            let address = PeerAddress(host: "10.0.0.9", port: UInt16(1000 + number))
            let (connectionID, actions) = pair.bob.machine.accepted(from: address, now: pair.now)
            if case .disconnect(let given) = actions.first, given < connectionID { refused += 1 }
        }
        #expect(refused == 5)
        for number in 0..<Limits.pendingHandshakes {
            _ = pair.bob.machine.accepted(from: PeerAddress(host: "10.0.1.\(number)", port: 1), now: pair.now)
        }
        #expect(pair.bob.machine.openConnections.count == Limits.pendingHandshakes)
    }

    @Test("drops strangers that do not finish their handshake")
    func handshakesTimeOut() {
        var pair = MachinePair()
        _ = pair.bob.machine.accepted(from: PeerAddress(host: "10.0.0.9", port: 1), now: pair.now)
        pair.now.uptime += Timing.handshake
        #expect(pair.bob.machine.deadline(now: pair.now) <= pair.now.uptime)
        pair.bob.perform(pair.bob.machine.tick(now: pair.now))
        #expect(pair.bob.machine.openConnections.isEmpty)
        #expect(pair.bob.isDisconnected)
    }

    @Test("refuses sends beyond what may wait, and says so")
    func overloaded() {
        var pair = MachinePair.linked()
        pair.send("first")  // Its commit is under way, so that the others wait.
        let batch = Array(repeating: MessageDraft("x"), count: Limits.messagesPerSend)
        for number in 0...Limits.pendingSends / Limits.messagesPerSend {
            pair.alice.perform(
                pair.alice.machine.send(
                    batch, to: pair.bob.local.userID, requestID: RequestID(100 + UInt64(number)), now: pair.now))
        }
        let last = pair.alice.completions[RequestID(100 + UInt64(Limits.pendingSends / Limits.messagesPerSend))]
        guard case .failure(let error) = last else {
            Issue.record("the last send was accepted")
            return
        }
        #expect(error.code == .overloaded)
    }

    @Test("keeps one of two links to a device, the same on both ends, by the lower device's dial")
    func simultaneousDials() throws {
        var (a, b) = (MachinePair.Side("alice"), MachinePair.Side("bob"))
        let now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
        let address = PeerAddress(host: "10.0.0.2", port: 7)
        a.perform(a.machine.addStaticPeer(address, now: now))
        b.perform(b.machine.addStaticPeer(address, now: now))
        let (aDials, bDials) = (a.connectionID, b.connectionID)
        let aAccepts = a.machine.accepted(from: address, now: now).0
        let bAccepts = b.machine.accepted(from: address, now: now).0
        // Connection to connection: what one end writes goes to the other end of the same one.
        let ends: [(Bool, ConnectionID, ConnectionID)] = [
            (true, aDials, bAccepts), (true, aAccepts, bDials), (false, bAccepts, aDials), (false, bDials, aAccepts),
        ]
        var wire: [(toAlice: Bool, ConnectionID, [UInt8])] = []
        func carry(_ actions: [NodeAction], fromAlice: Bool, _ side: inout MachinePair.Side) {
            for case .write(let connectionID, let bytes) in actions {
                let end = ends.first { $0.0 == fromAlice && $0.1 == connectionID }!
                wire.append((!fromAlice, end.2, bytes))
            }
            side.perform(actions)
            if !side.commits.isEmpty {
                side.commits.removeFirst()
                carry(side.machine.committed(now: now), fromAlice: fromAlice, &side)
            }
        }
        carry(a.machine.connected(aDials, to: address, now: now), fromAlice: true, &a)
        carry(b.machine.connected(bDials, to: address, now: now), fromAlice: false, &b)
        while !wire.isEmpty {
            let (toAlice, connectionID, bytes) = wire.removeFirst()
            if toAlice {
                carry(a.machine.received(bytes, on: connectionID, now: now), fromAlice: true, &a)
            } else {
                carry(b.machine.received(bytes, on: connectionID, now: now), fromAlice: false, &b)
            }
        }
        let isAliceLower = a.local.deviceID < b.local.deviceID
        #expect(a.machine.establishedLinks.map(\.isOutbound) == [isAliceLower])
        #expect(b.machine.establishedLinks.map(\.isOutbound) == [!isAliceLower])
    }
}
