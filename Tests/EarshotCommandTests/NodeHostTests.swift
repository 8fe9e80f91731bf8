import Earshot
import Synchronization
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("A command that runs a node itself")
struct NodeHostTests {
    @Test("is told why the node could not go on the network, as whoever runs the command is")
    func unableToRun() async throws {
        let folder = try TemporaryFolder()
        let home = Home(path: folder.file("home"))
        try home.create(name: "alice")
        let node = try await Node.open(home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
        let told = Mutex<EarshotError.Code?>(nil)
        let error = await #expect(throws: EarshotError.self) {
            try await NodeHost(node: node).run { _, start in
                await node.stop()
                do { _ = try await start() } catch let error as EarshotError {
                    told.withLock { $0 = error.code }
                    throw error
                }
            }
        }
        #expect(error?.code == .stopped)
        #expect(told.withLock(\.self) == .stopped)
    }
}
