import EarshotGateway
import Foundation
import Glibc

/// A node: its home, and the process that runs it now.
struct NodeProcess {
    let home: String
    /// Starts a process whose output goes to a file.
    private let launch: @Sendable (FileHandle) throws -> Process
    private let log: FileHandle
    private var process: Process?
    /// When the process that runs now was started.
    private(set) var startedAt = ContinuousClock.now
    /// How many processes ended although nobody had told them to.
    private(set) var surprises = 0

    init(home: String, launch: @escaping @Sendable (FileHandle) throws -> Process) throws {
        self.home = home
        self.launch = launch
        let path = home + ".log"
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let log = FileHandle(forWritingAtPath: path)
        else { throw SoakError("\(path) cannot be written") }
        self.log = log
    }

    var databasePath: String { home + "/history.db" }
    var pid: Int32? { process?.processIdentifier }
    var isRunning: Bool { process?.isRunning ?? false }

    mutating func start() throws {
        process = try launch(log)
        startedAt = .now
    }

    /// Sends a signal to the node.
    /// - Returns: whether there was a process to take it.
    @discardableResult
    mutating func signal(_ number: Int32) -> Bool {
        guard let process, process.isRunning else {
            surprises += 1
            return false
        }
        return kill(process.processIdentifier, number) == 0
    }

    /// The last lines of the node's log.
    var lastWords: String {
        guard let data = FileManager.default.contents(atPath: home + ".log") else { return "" }
        return String(decoding: data.suffix(2000), as: UTF8.self)
    }
}
