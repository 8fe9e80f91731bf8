import Earshot
import Testing

@Suite("Identifiers of participants")
struct ParticipantIdentifiersTests {
    private static func user(_ byte: UInt8) throws -> UserID {
        try #require(UserID(bytes: [UInt8](repeating: byte, count: 32)))
    }

    @Test("are the same for one installation, and others for another application, installation or user")
    func differ() throws {
        let salt = ParticipantIdentifiers.randomSalt()
        let (alice, bob) = (try Self.user(1), try Self.user(2))
        let app = ParticipantIdentifiers(application: "quotes", salt: salt)
        #expect(
            app.identifier(of: alice) == ParticipantIdentifiers(application: "quotes", salt: salt).identifier(of: alice)
        )
        let others = [
            app.identifier(of: bob), ParticipantIdentifiers(application: "games", salt: salt).identifier(of: alice),
            ParticipantIdentifiers(application: "quotes").identifier(of: alice), alice.description,
            // Where one part ends and the other begins is part of it.
            ParticipantIdentifiers(application: "quote", salt: Array("s".utf8) + salt).identifier(of: alice),
        ]
        #expect(!others.contains(app.identifier(of: alice)) && Set(others).count == others.count)
        #expect(UserID(app.identifier(of: alice)) != nil, "it has the form of an id")
    }
}
