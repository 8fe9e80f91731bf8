import Foundation

/// The service manager that has started this process, if it wants to hear of it (sd_notify(3)): a datagram socket whose
/// address is in `NOTIFY_SOCKET`.
struct ServiceManager: Sendable {
    private let address: [UInt8]
    /// How often it wants a sign of life; `nil` if it wants none.
    let watchdog: Duration?

    static let current = ServiceManager(ProcessInfo.processInfo.environment)

    /// - Returns: `nil` if nobody wants to hear anything, or if the address is none.
    init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first else { return nil }
        var address = Array(path.utf8)
        // An abstract address, which has no file, begins with a zero (unix(7)).
        if first == UInt8(ascii: "@") { address[0] = 0 } else if first != UInt8(ascii: "/") { return nil }
        guard address.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        self.address = address
        watchdog = Self.watchdog(environment)
    }

    private static func watchdog(_ environment: [String: String]) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        guard environment["WATCHDOG_PID"].map({ $0 == "\(getpid())" }) ?? true else { return nil }
        return .microseconds(microseconds)
    }

    func ready(_ status: String) { tell("READY=1\nSTATUS=\(SafeText.line(status))") }

    private func alive() { tell("WATCHDOG=1") }

    /// Gives signs of life until the task is cancelled. One is left out each time the node does not answer: how many may
    /// be missing is for the manager to say.
    func showLife(every interval: Duration, while isAlive: @Sendable () async -> Bool) async throws {
        while true {
            if await isAlive() { alive() }
            try await Task.sleep(for: interval)
        }
    }

    func stopping() { tell("STOPPING=1") }

    /// If the manager does not hear it, it acts by itself: nothing else could be done here.
    private func tell(_ text: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                _ = bytes.withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), name, size)
                }
            }
        }
    }
}
