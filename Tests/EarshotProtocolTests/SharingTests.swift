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
}
