import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The sessions of all links")
struct ReplicationSessionsTests {
    private let bob = device("bob")
    private var sessions = ReplicationSessions(deviceID: device("alice").deviceID)

    private mutating func begin(_ number: UInt64) {
        sessions.begin(
            ReplicationSession(connectionID: ConnectionID(number), userID: bob.userID, deviceID: bob.deviceID))
    }

    @Test("of a user are ascending, whichever began first; one of a device stays")
    mutating func order() {
        begin(2)
        begin(1)
        sessions.choose(ConnectionID(1))
        #expect(sessions[bob.userID] == [ConnectionID(1), ConnectionID(2)])
        #expect(sessions[bob.deviceID] == ConnectionID(1))
    }

    @Test("leave nothing behind when they end")
    mutating func end() {
        begin(1)
        begin(2)
        sessions.choose(ConnectionID(2))
        // One that was not chosen does not take the chosen one along.
        _ = sessions.end(ConnectionID(1))
        #expect(sessions[bob.deviceID] == ConnectionID(2))
        let ended = sessions.end(ConnectionID(2))
        #expect(ended != nil && sessions[bob.deviceID] == nil && sessions[bob.userID].isEmpty)
    }
}
