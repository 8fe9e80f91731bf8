import EarshotDiscovery
import EarshotModel
import Synchronization

/// Tells the nodes of one process of each other, and of those that are posted, as DNS-SD would: without packets.
final class Noticeboard: DiscoverySource {
    private typealias Reporting = @Sendable (SourceReport) -> Void

    private struct State: Sendable {
        var readers: [DeviceID: Reporting] = [:]
        var records: [DeviceID: ServiceRecord] = [:]
    }

    let name = "noticeboard"
    private let state = Mutex(State())

    /// Somebody is there, in this process or in another.
    func post(_ record: ServiceRecord) {
        let deviceID = record.announcement.deviceID
        let readers = state.withLock { state in
            state.records[deviceID] = record
            return state.readers.filter { $0.key != deviceID }.map(\.value)
        }
        for reporting in readers { reporting(.appeared(record)) }
    }

    /// Somebody who was posted is gone.
    func withdraw(_ deviceID: DeviceID) {
        let (record, readers) = state.withLock { ($0.records.removeValue(forKey: deviceID), Array($0.readers.values)) }
        guard let record else { return }
        for reporting in readers { reporting(.disappeared(record.key)) }
    }

    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws {
        reporting(.available(.other(name)))
        let others = state.withLock { state in
            state.readers[advertising.deviceID] = reporting
            return Array(state.records.values)
        }
        for record in others.shuffled() { reporting(.appeared(record)) }
        post(.notice(of: advertising.deviceID, advertising.userID, advertising.name, port: advertising.port))
        let (untilCancelled, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in untilCancelled {}
        state.withLock { state in
            state.readers[advertising.deviceID] = nil
            state.records[advertising.deviceID] = nil
        }
        throw CancellationError()
    }
}

extension ServiceRecord {
    /// The advertisement of a node on loopback.
    static func notice(of deviceID: DeviceID, _ userID: UserID, _ name: UserName, port: UInt16) -> ServiceRecord {
        let announcement = Announcement(
            deviceID: deviceID, name: name, fingerprint: userID.fingerprint.filter { $0 != " " },
            protocolVersion: Advertisement.protocolVersion, networkTag: nil)
        return ServiceRecord(
            key: Key(instance: "\(deviceID)", interface: "lo", family: .ipv4), announcement: announcement,
            addresses: [PeerAddress(host: "127.0.0.1", port: port)])
    }
}
