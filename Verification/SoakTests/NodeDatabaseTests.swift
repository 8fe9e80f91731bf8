import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotSoak

@Suite("What a soak reads of a disk")
struct NodeDatabaseTests {
    private func message(_ number: Int, by author: Side = .alice) -> Numbered {
        Numbered(lane: Lane(author: author, index: 0), number: number)
    }

    @Test("is each row once, in the order of arrival, and how far each log is there")
    func rows() throws {
        let disk = try Disk()
        var database = NodeDatabase<Numbered>(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.append(message(1, by: .bob).text, log: 2, sequence: 1)
        #expect(try database.look().messages == [message(1), message(1, by: .bob)])
        try disk.append(message(2).text, log: 1, sequence: 2)
        #expect(try database.look().messages == [message(2)])
        #expect(try database.look().messages == [])
        #expect(database.heads[try #require(Disk.logID(1))] == 2)
        #expect(database.heads[try #require(Disk.logID(2))] == 1)
    }

    @Test("is a branch from its own first entry on, and nothing of what is to be written anew or is no message")
    func branches() throws {
        let disk = try Disk()
        var database = NodeDatabase<Numbered>(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.branch(number: 3, after: 1)
        try disk.append(message(2).text, log: 3, sequence: 2)
        try disk.branch(number: 4, after: 1, isLimbo: true)
        try disk.append(message(3).text, log: 4, sequence: 2)
        try disk.append("no message", log: 3, sequence: 3)
        try disk.write("UPDATE entry SET kind = \(EntryKind.branches.rawValue) WHERE log = 3 AND sequence = 3")
        let look = try database.look()
        #expect(look.messages == [message(1), message(2)])
        #expect(look.holes == 0)
        #expect(database.heads[try #require(Disk.logID(3))] == 3)
    }

    @Test("is nothing where there is no file yet")
    func none() throws {
        let folder = try TemporaryFolder()
        var database = NodeDatabase<Numbered>(path: folder.file("history.db"))
        #expect(try database.look().messages == [])
    }

    @Test("is a hole where a place in a log is left out, and the disk holds nothing past it")
    func hole() throws {
        let disk = try Disk()
        var database = NodeDatabase<Numbered>(path: disk.path)
        try disk.append(message(1).text, log: 1, sequence: 1)
        try disk.append(message(3).text, log: 1, sequence: 3)
        #expect(try database.look().holes == 1)
        #expect(database.heads[try #require(Disk.logID(1))] == 1)
    }

    @Test("is foreign where the text is of no soak")
    func foreign() throws {
        let disk = try Disk()
        var database = NodeDatabase<Numbered>(path: disk.path)
        try disk.append("hello", log: 1, sequence: 1)
        #expect(try database.look().messages == [nil])
    }

    @Test("is what the node calls delivered, of its own messages alone")
    func delivered() throws {
        let disk = try Disk()
        let bob = try #require(UserID(bytes: [UInt8](repeating: 9, count: 32)))
        var database = NodeDatabase<Numbered>(path: disk.path)
        #expect(try database.look().delivered == [try #require(Disk.logID(1)): [bob: 2]])
    }
}
