import Earshot
import EarshotGateway
import Foundation

/// A node that goes on in the background after the command that has started it.
enum DetachedNode {
    private struct Record: Encodable {
        let name = "up"
        let pid: Int32
        let log: String
        let status: GatewayStatus
    }

    /// Runs this program anew, and returns when its node is up.
    /// - Parameter arguments: those of `earshot up`.
    /// - Throws: `Failure`: why it is not.
    static func start(_ home: Home, arguments: [String], _ output: Output) async throws {
        // The new process still has the terminal, where it may ask for a passphrase, and leaves it then.
        let child = try await Readiness.start(
            descriptors: [STDIN_FILENO, STDERR_FILENO, STDERR_FILENO], isOwnSession: false
        ) { descriptor in
            ["up"] + arguments + ["--tells", "\(descriptor)"]
        }
        let status = try await GatewayClient(home: home).status()
        let log = DetachedLog.path(of: home)
        try output.object(Record(pid: child.pid, log: log, status: status))
        let port = status.port.map(String.init) ?? "unknown"
        output.line(
            "\(output.style.bold(SafeText.line(status.name))) is up in the background: pid \(child.pid), port \(port)")
        output.line("its log is \(SafeText.line(log)); to end it: earshot stop")
    }
}
