import EarshotDiscovery
import EarshotModel
import Synchronization

/// The advertisements on a simulated network.
final class Announcements: Sendable {
    typealias Reporting = @Sendable (SourceReport) -> Void

    private struct Listing {
        let record: ServiceRecord
        let reporting: Reporting
    }

    /// By host.
    private let listings = Mutex<[String: Listing]>([:])

    /// Whether advertisements of one host reach another.
    let isConnected: @Sendable (String, String) -> Bool

    init(isConnected: @escaping @Sendable (String, String) -> Bool) { self.isConnected = isConnected }

    func add(_ host: String, _ advertisement: Advertisement, reporting: @escaping Reporting) {
        let announcement = Announcement(
            deviceID: advertisement.deviceID, name: advertisement.name,
            fingerprint: advertisement.userID.fingerprint.filter { $0 != " " },
            protocolVersion: Advertisement.protocolVersion, networkTag: advertisement.networkTag)
        let record = ServiceRecord(
            key: ServiceRecord.Key(instance: advertisement.instanceName, interface: "test", family: .ipv4),
            announcement: announcement, addresses: [PeerAddress(host: host, port: advertisement.port)])
        listings.withLock { $0[host] = Listing(record: record, reporting: reporting) }
        reporting(.available(.other(SimulatedSource.name)))
        for other in others(of: host) { exchange(host, other) }
    }

    /// Somebody says goodbye.
    func remove(_ host: String) {
        let others = others(of: host)
        guard let gone = listings.withLock({ $0.removeValue(forKey: host) }) else { return }
        for other in others where isConnected(host, other) {
            listings.withLock { $0[other] }?.reporting(.disappeared(gone.record.key))
        }
    }

    /// Reports two hosts to each other, if they can hear each other.
    func exchange(_ a: String, _ b: String) {
        guard isConnected(a, b) else { return }
        let (first, second) = listings.withLock { ($0[a], $0[b]) }
        guard let first, let second else { return }
        first.reporting(.appeared(second.record))
        second.reporting(.appeared(first.record))
    }

    private func others(of host: String) -> [String] {
        listings.withLock { listings in listings.keys.filter { $0 != host }.sorted() }
    }
}

/// The discovery source of one process on a simulated network.
struct SimulatedSource: DiscoverySource {
    static let name = "test network"

    let host: String
    let announcements: Announcements
    let process: SimulatedProcess

    var name: String { Self.name }

    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws {
        announcements.add(host, advertising, reporting: reporting)
        await untilCancelled()
        // A process that crashed does not say goodbye.
        if !process.isDead { announcements.remove(host) }
    }
}
