import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct Stop: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the node that runs on the home directory.",
        discussion: """
            Returns when the node has said goodbye to everybody and the home directory is free. Where no node runs, there \
            is nothing to do.

            EXAMPLES:
              earshot stop
            """)

    @OptionGroup var common: CommonOptions

    /// How long a node may take. It writes what waits, and gives open requests two seconds.
    private static let patience = Duration.seconds(30)

    private struct Record: Encodable {
        let isStopped: Bool
        let pid: Int32?
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        try home.check()
        guard let pid = Session.pid(of: home) else {
            try output.object(Record(isStopped: false, pid: nil))
            output.line("no node runs on \(SafeText.line(home.path))")
            return
        }
        guard kill(pid, SIGTERM) == 0 else {
            throw Failure(.unusableHome, "process \(pid) cannot be stopped: \(String(cString: strerror(errno)))")
        }
        let deadline = ContinuousClock.now + Self.patience
        while HomeLock.holder(of: home) == pid {
            guard ContinuousClock.now < deadline else {
                throw Failure(.timedOut, "the node with pid \(pid) has not ended in time", remedy: "kill -9 \(pid)")
            }
            try await Task.sleep(for: NodeLease.interval)
        }
        try output.object(Record(isStopped: true, pid: pid))
        output.line("the node with pid \(pid) has ended")
    }
}
