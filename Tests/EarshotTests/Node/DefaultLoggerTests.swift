import Logging
import Testing

@testable import Earshot

@Suite("A node whose program says nothing of logs")
struct DefaultLoggerTests {
    @Test("writes warnings and errors to standard error, and nothing below")
    func level() {
        let logger = NodeConfiguration().logger
        #expect(logger.logLevel == .warning && logger.handler is StreamLogHandler)
    }

    @Test("writes nothing if its program hands in a logger that writes nothing")
    func quiet() {
        #expect(NodeConfiguration(logger: .quiet).logger.handler is SwiftLogNoOpLogHandler)
    }
}
