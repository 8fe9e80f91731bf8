import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What the two ends of a link share")
struct SharingTests {
    private let general = ConversationID.open("general", networkTag: "open")
    private let mine = SharingTests.hash(1)
    private let theirs = SharingTests.hash(2)
    private var sharing = Sharing()

    private static func hash(_ number: UInt8) -> HeadsHash {
        HeadsHash(bytes: [UInt8](repeating: number, count: Bytes32.count)) ?? HeadsHash(Bytes32())
    }

    private mutating func hear(_ heads: HeadsHash) -> Bool {
        sharing.heard(ConversationDigest(conversationID: general, heads: heads))
    }

    @Test("is ready at once where both hold the same")
    mutating func same() {
        let isNoted = hear(mine)
        let step = sharing.compare(general, with: mine)
        #expect(isNoted && step == .same && sharing.isReady(general))
    }

    @Test("is asked for once where the two differ, and ready when the peer has said what it holds")
    mutating func different() {
        _ = hear(theirs)
        let first = sharing.compare(general, with: mine)
        let second = sharing.compare(general, with: mine)
        #expect(first == .ask && second == .nothing && !sharing.isReady(general))
        let isAnswered = sharing.heardHeads(of: general, asks: false)
        #expect(!isAnswered && sharing.isReady(general))
    }

    @Test("is answered where only the peer has asked, and not where both have")
    mutating func bothAsk() {
        _ = hear(theirs)
        let isAnswered = sharing.heardHeads(of: general, asks: true)
        #expect(isAnswered)
        _ = sharing.compare(general, with: mine)
        let isAnsweredTwice = sharing.heardHeads(of: general, asks: true)
        #expect(!isAnsweredTwice)
    }

    @Test("is not asked for again while the same two digests differ")
    mutating func remembered() {
        _ = hear(theirs)
        _ = sharing.compare(general, with: mine)
        _ = sharing.heardHeads(of: general, asks: false)
        let again = sharing.compare(general, with: mine)
        let changed = sharing.compare(general, with: Self.hash(3))
        #expect(again == .nothing && changed == .ask)
    }

    @Test("is nothing where the peer has not said that it belongs to a conversation, or has left")
    mutating func unknown() {
        let before = sharing.compare(general, with: mine)
        _ = hear(mine)
        sharing.drop(general)
        let after = sharing.compare(general, with: mine)
        #expect(before == .nothing && after == .nothing && !sharing.contains(general))
    }

    @Test("is noted up to a limit")
    mutating func limit() {
        var noted = 0
        for number in 0..<Limits.sharedConversations + 5 {
            let id = ConversationID.open("\(number)", networkTag: "open")
            if sharing.heard(ConversationDigest(conversationID: id, heads: mine)) { noted += 1 }
        }
        #expect(noted == Limits.sharedConversations)
    }

    @Test("is told once how far its messages have come, where that differs, until one of the two changes")
    mutating func progress() {
        func progress(_ read: UInt64) -> ProgressHash {
            .of([LogProgress(logID: LogID(Bytes32()), userID: UserID(Bytes32()), read: read)])
        }
        _ = sharing.heard(ConversationDigest(conversationID: general, heads: mine, progress: progress(1)))
        let same = sharing.differs(general, with: mine, progress(1))
        let other = sharing.differs(general, with: mine, progress(2))
        let again = sharing.differs(general, with: mine, progress(2))
        let furtherOn = sharing.differs(general, with: Self.hash(3), progress(2))
        #expect(!same && other && !again && furtherOn)
        _ = hear(mine)
        let untold = sharing.differs(general, with: mine, progress(3))
        #expect(!untold)
    }

    @Test("takes the same receipts once for what the peer holds, and for good once both hold the same")
    mutating func receipts() {
        let (log, bob) = (HandWrittenLog(by: device("alice"), to: device("bob").userID).logID, device("bob"))
        func receipt(_ sequence: UInt64) -> Receipt {
            Receipt.sign(
                logID: log, sequence: sequence, chain: .origin(of: log), readSequence: 0, deviceID: bob.deviceID,
                with: bob.signingKey)
        }
        func take(_ receipts: [Receipt]) -> [Receipt] { sharing.takeUngiven(receipts, of: general, mine: mine) }
        _ = hear(theirs)
        let (first, again, more) = (take([receipt(1)]), take([receipt(1)]), take([receipt(1), receipt(2)]))
        #expect(first == [receipt(1)] && again.isEmpty && more == [receipt(1), receipt(2)])
        _ = hear(mine)
        let asBothHoldTheSame = take([receipt(1), receipt(2)])
        #expect(asBothHoldTheSame == [receipt(1), receipt(2)])
        _ = hear(theirs)
        let (later, news) = (take([receipt(1), receipt(2)]), take([receipt(1), receipt(2), receipt(3)]))
        #expect(later.isEmpty && news == [receipt(3)])
    }
}
