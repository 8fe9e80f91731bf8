import EarshotModel
import Testing

@testable import EarshotSoak

@Suite("Claims of delivery")
struct ClaimsTests {
    private let first = Self.log(1)
    private let second = Self.log(2)

    private static func log(_ byte: UInt8) -> LogID {
        guard let logID = LogID(bytes: [UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
        return logID
    }

    @Test("are false for as many messages as the disk does not hold")
    func beyond() {
        var claims = Claims()
        claims.note(first, through: 5)
        claims.note(first, through: 3)
        claims.note([second: 2])
        #expect(claims.count == 7)
        #expect(claims.beyond([first: 5, second: 9]) == 0)
        #expect(claims.beyond([first: 4, second: 2]) == 1)
        #expect(claims.beyond([second: 1]) == 6)
        #expect(claims.beyond([:]) == 7)
    }
}
