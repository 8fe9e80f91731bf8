import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What of a conversation goes over a link")
struct ConversationAccessTests {
    @Test("names the place at which a log is cut once, however many branches it has")
    func branches() {
        let log = LogDescription(
            conversationID: ConversationID(words(1)), deviceID: device("alice").deviceID, epoch: 1, kind: .control)
        func place(_ sequence: UInt64, _ number: UInt64) -> Place {
            Place(sequence: sequence, chain: ChainHash(words(number)))
        }
        let branches = [place(5, 1), place(7, 2), place(3, 3)].map { BranchHead(log: log, place: $0) }
        let end = LogPlace(logID: log.logID, sequence: 4, chain: ChainHash(words(4)))
        let cut = ConversationAccess.through([log.logID: end])
        #expect(cut.heads(among: branches) == [BranchHead(log: log, place: place(4, 4)), branches[2]])
        #expect(ConversationAccess.through([log.logID: nil]).heads(among: branches) == branches)
    }
}
