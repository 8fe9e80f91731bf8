import ArgumentParser
import Earshot
import Foundation
import TestSupport

/// A node in a process of its own that sends as fast as it can, until it is killed.
struct Burst: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "burst", shouldDisplay: false)

    @Option var home: String
    @Option var peer: UInt16
    @Option var user: String
    /// The number of the first message.
    @Option var first: Int

    func run() async throws {
        guard let userID = UserID(user) else { throw ValidationError("no such user") }
        let configuration = NodeConfiguration(
            staticPeers: [PeerAddress(host: "127.0.0.1", port: peer)], discovery: .off, logger: .quiet)
        let node = try await Node.open(Home(path: home), configuration: configuration)
        let running = Task { try await node.run() }
        while await node.users.user(userID) == nil { try await Task.sleep(for: .milliseconds(5)) }
        for number in first... {
            try await node.messages.send("\(number)", to: userID)
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
        try await running.value
    }

    /// Runs it, and kills it after forty messages were accepted.
    /// - Returns: the numbers that it reported as accepted. The next one may also have been accepted: it may have died
    ///   before it could say so.
    static func runAndKill(home: String, peer: UInt16, user: UserID, from first: Int) throws -> Range<Int> {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["burst", "--home", home, "--peer", "\(peer)", "--user", "\(user)", "--first", "\(first)"]
        process.standardOutput = output
        try process.run()
        var text = Data()
        while case let part = output.fileHandleForReading.readAvailable(), !part.isEmpty {
            text.append(part)
            if text.count(where: { $0 == UInt8(ascii: "\n") }) >= 40 { kill(process.processIdentifier, SIGKILL) }
        }
        process.waitUntilExit()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        return first..<max(first, (lines.compactMap { Int($0) }.last ?? first - 1) + 1)
    }
}
