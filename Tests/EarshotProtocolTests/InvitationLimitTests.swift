import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Private conversations that peers tell of")
struct InvitationLimitTests {
    private var privates = PrivateConversations(userID: device("alice").userID, deviceID: device("alice").deviceID)

    private func conversation(_ number: Int) -> ConversationID {
        .private(
            ConversationOrigin(
                creatorID: device("bob").userID, salt: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16))
        )
    }

    @Test("are looked at up to a number for each user")
    mutating func perUser() {
        for number in 0...Limits.invitationsPerUser {
            privates.offered(conversation(number), by: device("bob").userID, isStranger: false)
        }
        #expect(privates.contains(conversation(Limits.invitationsPerUser - 1)))
        #expect(!privates.contains(conversation(Limits.invitationsPerUser)))
    }

    @Test("by strangers are looked at up to a number for all of them, and the oldest of which nothing came gives way")
    mutating func strangers() {
        for number in 0...Limits.strangersInvitations {
            let stranger = device("stranger", seed: UInt64(1000 + number)).userID
            privates.offered(conversation(number), by: stranger, isStranger: true)
        }
        #expect(!privates.contains(conversation(0)))
        #expect((1...Limits.strangersInvitations).allSatisfy { privates.contains(conversation($0)) })
        privates.offered(conversation(200), by: device("bob").userID, isStranger: false)
        #expect(privates.contains(conversation(200)))
    }

    @Test("have room for as many control logs as follow each other, and for few while all of them have many")
    mutating func controlLogs() {
        let count = Limits.controlLogsOfInvitations / Limits.controlLogsOfInvitation
        for number in 0...count {
            let stranger = device("stranger", seed: UInt64(1000 + number)).userID
            privates.offered(conversation(number), by: stranger, isStranger: true)
        }
        var held: [ConversationID: Int] = [:]
        func hasRoom(_ number: Int) -> Bool {
            privates.hasRoomForControlLog(of: conversation(number)) { held[$0] ?? 0 }
        }
        for number in 0..<count {
            held[conversation(number)] = Limits.controlLogsOfInvitation - 1
            #expect(hasRoom(number))
            held[conversation(number)] = Limits.controlLogsOfInvitation
            #expect(!hasRoom(number))
        }
        held[conversation(count)] = Limits.controlLogsOfFurtherInvitation - 1
        #expect(hasRoom(count))
        held[conversation(count)] = Limits.controlLogsOfFurtherInvitation
        #expect(!hasRoom(count))
        held[conversation(0)] = 1
        #expect(hasRoom(count))
    }
}
