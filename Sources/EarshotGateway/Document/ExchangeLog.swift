#if DEBUG || EXCHANGES
    import Foundation

    /// Adds each exchange, as a line of JSON, to the file that a test has named in the environment of its programs. What users
    /// get does not have it: `EXCHANGES` is for tests of a release build.
    struct ExchangeLog: Sendable {
        private let path: String

        /// - Returns: `nil` where no test wants to know.
        init?(_ environment: [String: String]) {
            guard let path = environment["EARSHOT_EXCHANGES"] else { return nil }
            self.path = path
        }

        func add(_ request: Request?, _ response: Response) {
            do {
                let line = try JSONEncoder.gateway().encode(Exchange(request, response)) + Data("\n".utf8)
                let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                // A node may outlive the tests.
                guard file >= 0 else { return }
                defer { close(file) }
                // In one write, because other programs add to the file, too.
                _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            } catch { preconditionFailure("\(error)") }
        }
    }
#endif
