import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The logs of peers")
struct IncomingLogsTests {
    private var logs = IncomingLogs()

    private func log(of name: String, epoch: UInt64 = 1, bytes: Int = 0) -> IncomingLog {
        let author = device(name)
        let description = LogDescription(
            conversationID: .open("ops", networkTag: ""), deviceID: author.deviceID, epoch: epoch)
        return IncomingLog(
            description: description, authorID: author.userID, head: .origin(of: description.logID), bytes: bytes)
    }

    @Test("count together what each of them counts, also when one changes or goes")
    mutating func bytes() {
        var first = log(of: "bob", bytes: 5)
        let second = log(of: "carol", bytes: 7)
        (logs[first.logID], logs[second.logID]) = (first, second)
        #expect(logs.bytes == 12)
        first.grew(by: 3)
        logs[first.logID] = first
        logs[second.logID]?.grew(by: 1)
        #expect(logs.bytes == 16)
        logs.commit(first.logID, through: first.proved, bytes: 8)
        #expect(logs.bytes == 16)
        logs[first.logID] = nil
        #expect(logs.bytes == 8)
        logs[second.logID] = nil
        #expect(logs.bytes == 0)
    }

    @Test("are of many devices if two have written, whatever number of logs one has")
    mutating func manyDevices() {
        let logsOfOne = [log(of: "bob"), log(of: "bob", epoch: 2)]
        for log in logsOfOne { logs[log.logID] = log }
        let conversationID = logsOfOne[0].description.conversationID
        #expect(!logs.hasManyDevices(in: conversationID))
        let other = log(of: "carol")
        logs[other.logID] = other
        #expect(logs.hasManyDevices(in: conversationID))
        logs[other.logID] = nil
        #expect(!logs.hasManyDevices(in: conversationID))
    }
}
