import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Who types where")
struct TypingMachineTests {
    private let (bob, phone, laptop): (UserID, DeviceID, DeviceID)
    private let (talk, other): (ConversationID, ConversationID)
    private let link = ConnectionID(1)
    private var typing = TypingMachine()

    init() throws {
        (bob, phone, laptop) = (try Self.id(1), try Self.id(2), try Self.id(3))
        (talk, other) = (try Self.id(4), try Self.id(5))
    }

    private static func id<ID: Identifier>(_ number: UInt8) throws -> ID {
        try #require(ID(bytes: [UInt8](repeating: number, count: Bytes32.count)))
    }

    private func started(_ conversationID: ConversationID) -> [TypingMachine.Action] {
        [.post(.typingStarted(Typing(conversationID: conversationID, userID: bob)))]
    }

    private func ended(_ conversationID: ConversationID) -> [TypingMachine.Action] {
        [.post(.typingEnded(Typing(conversationID: conversationID, userID: bob)))]
    }

    private mutating func say(
        _ isTyping: Bool, in conversationID: ConversationID? = nil, on device: DeviceID? = nil, at now: Int64
    ) -> [TypingMachine.Action] {
        typing.heard(isTyping, in: conversationID ?? talk, from: bob, on: device ?? phone, now: now)
    }

    @Test("is told to each link at once, and again at most every 4 s, however often a program says so")
    mutating func told() {
        let links = [link, ConnectionID(2)]
        let word = links.map { TypingMachine.Action.send(.typing(talk, isTyping: true), $0) }
        #expect(typing.set(true, in: talk, over: links, now: 0) == word)
        #expect(typing.set(true, in: talk, over: links, now: Timing.typingRepeat - 1) == [])
        #expect(typing.set(true, in: talk, over: links, now: Timing.typingRepeat) == word)
        #expect(
            typing.set(false, in: talk, over: [link], now: Timing.typingRepeat + 1)
                == [.send(.typing(talk, isTyping: false), link)])
        #expect(typing.set(false, in: talk, over: links, now: Timing.typingRepeat + 2) == [], "that is known")
    }

    @Test("is told anew after a message, which has ended it, and after it has ended by silence")
    mutating func toldAnew() {
        _ = typing.set(true, in: talk, over: [link], now: 0)
        typing.wrote(in: talk)
        #expect(typing.set(false, in: talk, over: [link], now: 1) == [])
        #expect(typing.set(true, in: talk, over: [link], now: 2).count == 1)
        #expect(typing.set(false, in: talk, over: [link], now: 2 + Timing.typing) == [], "nobody believes it any more")
    }

    @Test("is posted once when it begins, and once when it ends")
    mutating func posted() {
        #expect(say(true, at: 0) == started(talk))
        #expect(say(true, at: 5) == [])
        #expect(say(false, at: 9) == ended(talk))
        #expect(say(false, at: 10) == [])
    }

    @Test("ends 10 s after it was last said")
    mutating func silence() {
        _ = say(true, at: 0)
        #expect(typing.deadline == Timing.typing)
        _ = say(true, at: 4_000)
        #expect(typing.tick(now: Timing.typing) == [])
        #expect(typing.deadline == 4_000 + Timing.typing)
        #expect(typing.tick(now: 4_000 + Timing.typing) == ended(talk))
        #expect(typing.deadline == .max)
    }

    @Test("ends with a message of the one who types, in that conversation alone")
    mutating func message() {
        _ = say(true, at: 0)
        _ = say(true, in: other, at: 0)
        #expect(typing.wrote(bob, in: talk) == ended(talk))
        #expect(typing.wrote(bob, in: talk) == [])
        #expect(say(false, in: other, at: 1) == ended(other))
    }

    @Test("goes on while one of the user's devices says so, and ends with the last link")
    mutating func devices() {
        _ = say(true, on: phone, at: 0)
        #expect(say(true, on: laptop, at: 1) == [])
        #expect(say(false, on: phone, at: 2) == [])
        #expect(typing.unlinked(phone, of: bob) == [])
        #expect(typing.unlinked(laptop, of: bob) == ended(talk))
    }

    @Test("is noted in 16 conversations of a device, and told in 16 of this node's user")
    mutating func limits() throws {
        let all: [ConversationID] = try (1...UInt8(Limits.typingConversations + 1)).map { try Self.id($0) }
        for (index, conversationID) in all.enumerated() {
            let isNoted = index < Limits.typingConversations
            #expect(say(true, in: conversationID, at: 0) == (isNoted ? started(conversationID) : []))
            #expect(typing.set(true, in: conversationID, over: [link], now: Int64(index)).count == 1)
        }
        #expect(typing.load == (Limits.typingConversations, Limits.typingConversations))
        #expect(say(true, in: all.last, on: laptop, at: 0) == started(all[Limits.typingConversations]))
        #expect(typing.set(true, in: all[0], over: [link], now: 50).count == 1, "the first one had to make room")
    }
}
