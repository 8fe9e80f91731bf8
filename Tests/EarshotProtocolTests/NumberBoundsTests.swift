import EarshotCrypto
import EarshotForgery
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A number that somebody else has chosen")
struct NumberBoundsTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let chain = ChainHash(words(3))

    private var log: LogDescription {
        LogDescription(conversationID: .direct(alice.userID, bob.userID), deviceID: bob.deviceID, epoch: 7)
    }
    private var place: LogPlace { LogPlace(logID: log.logID, sequence: 5, chain: chain) }

    /// One of each content that an entry can have, with numbers in all of its fields.
    private func content(of kind: EntryKind) throws -> [EntryBody.Content] {
        let attributes = ConversationAttributes(friendlyName: "ops", json: "{}", counter: 3)
        let member = RestatedConversation.Member(userID: bob.userID, added: place)
        let restated = RestatedConversation(uniqueName: "ops", attributes: attributes, members: [member])
        let origin = ConversationOrigin(
            creatorID: bob.userID, salt: [UInt8](repeating: 1, count: ConversationOrigin.saltBytes))
        let creation = Creation(
            conversationID: .private(origin), uniqueName: "ops", attributes: attributes, givesHistory: true)
        func control(_ entry: ControlEntry) -> EntryBody.Content { .control(ControlBody(entry)) }
        func begin(_ cause: ControlBegin.Cause) -> EntryBody.Content {
            control(.begin(ControlBegin(term: 2, follows: place, heads: [place], cause: cause)))
        }
        switch kind {
        case .text:
            var message = MessageContent("hello", headers: ["a": "b"])
            message.replyTo = place
            message.session = MessageSession(id: SessionID(EntryKey(high: 1, low: 2)), counter: 2, summary: "step")
            message.attachments = [
                try Attachment(fileID: FileID(words(4)), name: "a.txt", mediaType: "text/plain", byteCount: 5)
            ]
            return [.text(message)]
        case .branches: return [.branches([BranchHead(log: log, place: Place(sequence: 5, chain: chain))])]
        case .edit: return [.amendment(Amendment(target: place, .edit(text: "a", counter: 2)))]
        case .retract: return [.amendment(Amendment(target: place, .retract))]
        case .reaction:
            return [.amendment(Amendment(target: place, .reaction(emoji: "a", counter: 2, isRemoved: true)))]
        case .cut:
            let cut = DeviceCut(of: bob.deviceID, after: [place], proof: bob.signingKey.signature(for: []))
            return [.cut(cut)]
        case .join: return [.join(answering: place)]
        case .leave: return [.leave(answering: place)]
        case .version: return [.version(place)]
        case .created: return [.control(ControlBody(.created(creation), origin: origin))]
        case .add: return [control(.add(bob.userID, returnsAfter: place))]
        case .remove: return [control(.remove(bob.userID, cuts: [place], reason: .left))]
        case .update: return [control(.update(attributes))]
        case .pass: return [control(.pass(to: bob.deviceID))]
        case .handOver: return [control(.handOver(to: bob.userID))]
        case .closed: return [control(.closed)]
        case .begin: return [begin(.pass), begin(.handOver), begin(.takeover(restated)), begin(.full)]
        case .decision:
            return [.decision(Decision(.block, about: bob.userID, name: bob.name, counter: 2, proof: nil))]
        case .shown: return [.shown([place])]
        case .erasure: return [.erasure([ErasedRun(through: place, count: 2)])]
        case .profile: return [.profile(ProfileEntry(Profile(friendlyName: "Bob"), counter: 9))]
        case .unknown, .cutOff, .misplaced, .disregarded: return []
        }
    }

    @Test("in an entry is refused if anything could overflow that goes on from it", arguments: EntryKind.allCases)
    func entries(kind: EntryKind) throws {
        for content in try content(of: kind) {
            let bytes = EntryBody(timestamp: HybridTimestamp(rawValue: 1 << 20), expiry: 1 << 20, content: content)
                .encoded()
            #expect(try EntryBody(decoding: bytes).content == content)
            for variant in EdgeNumbers.variants(of: bytes) {
                guard let body = try? EntryBody(decoding: variant) else { continue }
                for number in numbers(in: body.content) { #expect(number <= Counting.largest, "\(body.content)") }
            }
        }
    }

    /// What others go on from.
    private func numbers(in content: EntryBody.Content) -> [UInt64] {
        switch content {
        case .text(let message):
            [message.session?.counter, message.replyTo?.sequence].compactMap(\.self)
        case .branches(let heads): heads.map(\.place.sequence)
        case .amendment(let amendment):
            switch amendment.content {
            case .edit(_, let counter), .reaction(_, let counter, _): [amendment.target.sequence, counter]
            case .retract: [amendment.target.sequence]
            }
        case .join(let place), .leave(let place): [place?.sequence].compactMap(\.self)
        case .version(let place): [place.sequence]
        case .control(let control):
            switch control.entry {
            case .created(let creation): [creation.attributes.counter]
            case .update(let attributes): [attributes.counter]
            case .add(_, let place): [place?.sequence].compactMap(\.self)
            case .remove(_, let cuts, _): cuts.map(\.sequence)
            case .begin(let begin):
                [begin.term, begin.follows.sequence] + begin.heads.map(\.sequence) + numbers(in: begin.cause)
            case .pass, .handOver, .closed: []
            }
        case .profile(let profile): [profile.counter]
        case .decision(let decision): [decision.counter]
        case .cut(let cut): cut.ends.map(\.sequence)
        case .shown(let places): places.map(\.sequence)
        case .erasure(let runs): runs.flatMap { [$0.sequences.lowerBound, $0.sequences.upperBound] }
        case .unknown: []
        }
    }

    private func numbers(in cause: ControlBegin.Cause) -> [UInt64] {
        guard case .takeover(let restated) = cause else { return [] }
        return [restated.attributes.counter] + restated.members.map(\.added.sequence)
    }

    /// One of each frame that has numbers.
    private var frames: [Frame] {
        let end = Place(sequence: 5, chain: chain)
        let receipt = Receipt.sign(
            logID: log.logID, sequence: 5, chain: chain, readSequence: 3, deviceID: bob.deviceID, with: bob.signingKey)
        return [
            .heads(
                HeadsFrame(
                    conversationID: log.conversationID, heads: [BranchHead(log: log, place: end)], isComplete: true)),
            .entries(
                EntriesFrame(
                    log: log, firstSequence: 5, previousChain: chain, contents: [.withheld(EntryHash(words(6)))],
                    checkpoint: bob.signingKey.signature(for: []))),
            .receipts([receipt]), .close(.overloaded), .dialBack(port: 7, nonce: 8),
            .dialBackResult(nonce: 8, isReachable: true),
            .wanted(WantedFrame(log: log, end: end, known: [end])), .unplaced(log), .taken(log.logID, through: end),
            .typing(log.conversationID, isTyping: true),
            .wantedBodies(WantedBodiesFrame(log: log, first: end, last: 9)),
            .bodies(BodiesFrame(logID: log.logID, first: end, contents: [.withheld(EntryHash(words(6)))], marks: [:])),
            .deviceNames([bob.deviceID: DeviceName("desk", givenAt: 5) ?? DeviceName()]),
        ]
    }

    @Test("in a frame ends no node, and nothing that the node is asked afterwards does")
    func allFrames() throws {
        var variants = frames.flatMap { EdgeNumbers.variants(of: $0.encoded()) }
        #expect(variants.count > 300)
        while !variants.isEmpty {
            var pair = try StoredPair.linked()
            try pair.send("hello", from: .alice)
            var peer = try HandDrivenPeer(otherDevice("bob"), beside: &pair, now: pair.now)
            let heads = Frame.heads(HeadsFrame(conversationID: log.conversationID, heads: [], isComplete: true))
            try peer.say([heads], to: &pair, now: pair.now)
            // Each link ends at the first that is refused.
            var isOpen = true
            while isOpen, let bytes = variants.popLast() {
                guard let frame = try? Frame.decode(bytes, from: otherDevice("bob").deviceID) else { continue }
                try peer.say([frame], to: &pair, now: pair.now)
                try pair.settle()
                isOpen = pair.alice.machine.isOpen(peer.connectionID)
            }
            try pair.send("still here", from: .alice)
        }
    }

    @Test("that is the last one is used again, and the change still counts")
    func lastCounter() {
        #expect(UInt64(0).nextCounter == 1)
        #expect(Counting.largest.nextCounter == Counting.largest && UInt64.max.nextCounter == Counting.largest)
        #expect(Int64.max.nextTime == Int64(Counting.largest))
    }

    @Test("that is the last one keeps nobody from changing a group")
    func lastOfGroup() throws {
        var group = MachineGroup()
        let (alice, bob) = (group.add("alice"), group.add("bob"))
        group.dial(alice, bob)
        let salt = [UInt8](repeating: 7, count: ConversationOrigin.saltBytes)
        let ops = ConversationID.private(ConversationOrigin(creatorID: group.userID(alice), salt: salt))
        let draft = ConversationDraft(uniqueName: "ops", givesHistory: true, invited: [group.userID(bob)])
        group.request(alice) { $0.createConversation(draft, salt: salt, proof: nil, requestID: $1, now: $2) }
        let last = ConversationAttributes(friendlyName: "last", counter: Counting.largest)
        group.request(alice) { machine, requestID, now in
            machine.handle(requestID, now: now) { node throws(ProtocolError) in
                let record = node.replication.conversations.privates.record(ops)
                try node.replication.control([.control(ControlBody(.update(last)))], of: record, requestID: requestID)
            }
        }
        #expect(group.members[bob].machine.membership(ops)?.attributes == last)
        for name in ["one", "two"] {
            group.request(alice) {
                $0.updateConversation(ops, friendlyName: name, attributes: nil, requestID: $1, now: $2)
            }
            #expect(group.members[bob].machine.membership(ops)?.attributes.friendlyName == name)
        }
    }
}
