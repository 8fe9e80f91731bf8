import Earshot
import EarshotDiscovery
import Synchronization

/// A discovery source that sees what the attacker advertises.
final class Advertiser: DiscoverySource {
    let name = "attacker"
    /// In a struct: a closure that goes through a generic is wrapped once more each time.
    private struct Listener { let report: @Sendable (SourceReport) -> Void }
    private let listener = Mutex<Listener?>(nil)

    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws {
        listener.withLock { $0 = Listener(report: reporting) }
        let (never, continuation) = AsyncStream<Never>.makeStream()
        defer { continuation.finish() }
        for await _ in never {}
    }

    func report(_ report: SourceReport) { listener.withLock(\.self)?.report(report) }

    /// A device on a port of loopback, with a name.
    static func record(_ number: Int, name: String, userID: UserID, port: UInt16) throws -> ServiceRecord {
        var bytes = [UInt8](repeating: 0xee, count: Bytes32.count)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        guard let deviceID = DeviceID(bytes: bytes) else { preconditionFailure("thirty-two bytes are an identifier") }
        let announcement = Announcement(
            deviceID: deviceID, name: try UserName(name), fingerprint: userID.fingerprint.filter { $0 != " " },
            protocolVersion: Advertisement.protocolVersion, networkTag: nil)
        return ServiceRecord(
            key: ServiceRecord.Key(instance: "\(name) \(number)", interface: "lo", family: .ipv4),
            announcement: announcement, addresses: [PeerAddress(host: "127.0.0.1", port: port)])
    }
}
