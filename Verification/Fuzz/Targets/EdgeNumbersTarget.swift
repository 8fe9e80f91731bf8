import EarshotCrypto
import EarshotForgery
import EarshotModel

@testable import EarshotProtocol

/// Entries and frames with numbers from the edges of types, and what programs ask of the node after them: whatever it goes on
/// from was somebody else's number.
let edgeNumbers = FuzzTarget("edge-numbers", maximumBytes: 256, prepare: { _ = HostileLink.established }) { input in
    var link = [HostileLink.established, .inGroup, .inPrivate, .stolen][input.choice(4)]
    while !input.isEmpty, !link.isOver { link.stepAtEdges(&input) }
    link.end()
}

extension HostileLink {
    mutating func stepAtEdges(_ input: inout FuzzInput) {
        switch input.choice(3) {
        case 0: writeAtEdges(&input)
        case 1: sayAtEdges(&input)
        default: ask(&input)
        }
        settle()
        check()
    }

    /// One of the variants of a message, or the message.
    private func variant(of message: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        let variants = EdgeNumbers.variants(of: message)
        return variants.isEmpty ? message : variants[Int(input.word() % UInt64(variants.count))]
    }

    // MARK: - What comes

    private mutating func writeAtEdges(_ input: inout FuzzInput) {
        let index = input.choice(logs.count)
        let other = logs[input.choice(logs.count)]
        let target =
            other.places.last
            ?? LogPlace(logID: other.description.logID, sequence: 1, chain: .origin(of: other.description.logID))
        let contents = contents(about: target)
        let content = contents[input.choice(contents.count)]
        write(variant(of: encoded(content, for: index), &input), to: index)
    }

    /// One of each content with a number in it.
    private func contents(about target: LogPlace) -> [EntryBody.Content] {
        let attributes = ConversationAttributes(friendlyName: "ops", json: "{}", counter: 3)
        let member = RestatedConversation.Member(userID: machine.userID, added: target)
        let restated = RestatedConversation(uniqueName: "ops", attributes: attributes, members: [member])
        var step = MessageContent("step")
        step.session = MessageSession(id: Self.session, counter: 1, summary: "step")
        step.replyTo = target
        let amendments: [Amendment.Content] = [
            .edit(text: "edited", counter: 1), .reaction(emoji: "+", counter: 1, isRemoved: false), .retract,
        ]
        let causes: [ControlBegin.Cause] = [.pass, .handOver, .full, .takeover(restated)]
        let control: [ControlEntry] =
            [.add(peer.userID, returnsAfter: target), .remove(peer.userID, cuts: [target]), .update(attributes)]
            + causes.map { .begin(ControlBegin(term: 2, follows: target, heads: [target], cause: $0)) }
        let decision = Decision(.block, about: Cast.carol.userID, name: Cast.carol.name, counter: 1, proof: nil)
        let cut = DeviceCut(of: peer.deviceID, after: [target], proof: peer.signingKey.signature(for: []))
        return [.text(step), .join(answering: target), .leave(answering: target), .version(target)]
            + amendments.map { .amendment(Amendment(target: target, $0)) }
            + control.map { .control(ControlBody($0)) }
            + [.profile(ProfileEntry(Profile(friendlyName: "Mallory"), counter: 1)), .decision(decision), .cut(cut)]
            + [.erasure([ErasedRun(through: target, count: 1)])]
            + [.shown([target])]
    }

    private mutating func sayAtEdges(_ input: inout FuzzInput) {
        let log = logs[input.choice(logs.count)]
        let (end, description) = (log.head.place, log.description)
        let receipt = Receipt.sign(
            logID: description.logID, sequence: max(1, end.sequence), chain: end.chain, readSequence: 1,
            deviceID: peer.deviceID, with: peer.signingKey)
        let frames: [Frame] = [
            .heads(heads([BranchHead(log: description, place: end)], true)), .receipts([receipt]),
            .wanted(WantedFrame(log: description, end: end, known: [end])), .taken(description.logID, through: end),
            .wantedBodies(WantedBodiesFrame(log: description, first: end, last: end.sequence)),
            .bodies(BodiesFrame(logID: description.logID, first: end, contents: [], marks: [:])),
            .deviceNames([peer.deviceID: DeviceName("desk", givenAt: 5) ?? DeviceName()]),
            .close(.overloaded), .dialBack(port: 7, nonce: 8),
        ]
        let bytes = variant(of: frames[input.choice(frames.count)].encoded(), &input)
        var output: [UInt8] = []
        FrameBuffer.write(bytes, to: &output)
        seal(output)
    }

    // MARK: - What is asked after it

    private static let session = SessionID(EntryKey(high: 1, low: 2))

    /// A request of the SDK that goes on from a number that somebody else may have written.
    private mutating func ask(_ input: inout FuzzInput) {
        requestCount += 1
        let requestID = RequestID(requestCount)
        let target = logs[input.choice(logs.count)].places.last
        let direct = ConversationID.direct(machine.userID, Cast.mallory.userID)
        let conversationID = [direct, Self.openID, Self.privateID][input.choice(3)]
        switch input.choice(7) {
        case 0:
            perform(
                machine.updateConversation(
                    Self.privateID, friendlyName: "ours", attributes: nil, requestID: requestID, now: now))
        case 1: perform(machine.rename(peer.deviceID, to: "desk", requestID: requestID, now: now))
        case 2:
            let userID = [Cast.mallory, Cast.carol][input.choice(2)].userID
            perform(machine.decide(.block, about: userID, requestID: requestID, now: now))
        case 3:
            guard let target else { return }
            let messageID = MessageID(log: target.logID, sequence: target.sequence)
            perform(machine.markRead(messageID, requestID: requestID, now: now))
        case 4:
            guard let target else { return }
            let counter = input.number(near: 1).nextCounter
            let contents: [Amendment.Content] = [
                .edit(text: "mine", counter: counter), .reaction(emoji: "+", counter: counter, isRemoved: false),
            ]
            let drafts = [EntryDraft.amendment(Amendment(target: target, contents[input.choice(2)]))]
            perform(machine.send(drafts, to: .conversation(conversationID), requestID: requestID, now: now))
        case 5:
            var draft = MessageDraft("mine")
            let counter = input.number(near: 1).nextCounter
            draft.session = MessageSession(id: Self.session, counter: counter, summary: "mine")
            perform(machine.send([draft], to: conversationID, requestID: requestID, now: now))
        default:
            let counter = input.number(near: 1).nextCounter
            let drafts = [EntryDraft.profile(Profile(friendlyName: "Alice"), counter: counter)]
            perform(machine.send(drafts, to: .conversation(direct), requestID: requestID, now: now))
        }
    }
}
