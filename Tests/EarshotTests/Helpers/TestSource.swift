import Earshot
import EarshotDiscovery
import Foundation
import TestSupport

/// A way of finding peers that sees what a test says.
final class TestSource: DiscoverySource {
    let name = "test"
    let operationCount = 7
    private let reporting = Watched<(@Sendable (SourceReport) -> Void)?>(nil)

    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws {
        self.reporting.update { $0 = reporting }
        let (never, continuation) = AsyncStream<Never>.makeStream()
        defer { continuation.finish() }
        for await _ in never {}
    }

    /// Waits until the node listens to this source, reports, and waits until the node has dealt with that.
    func report(_ report: SourceReport, to user: TestUser) async throws {
        let reporting = try await reporting.wait(for: "the source runs") { $0 }
        let mark = UUID().uuidString
        reporting(report)
        // The node takes what sources say in turn, and posts this.
        reporting(.available(.other(mark)))
        try await user.events.first("the report is dealt with") { event -> Bool? in
            if case .discoveryAvailable(mark) = event { true } else { nil }
        }
    }

    /// A device that is told apart by one byte. Its address is not known, so nobody dials it meanwhile.
    func record(_ name: String, seed: UInt8, tag: String?) throws -> ServiceRecord {
        guard let bytes = Bytes32([UInt8](repeating: seed, count: Bytes32.count)) else {
            preconditionFailure("thirty-two bytes are thirty-two bytes")
        }
        return try record(name, UserID(bytes), DeviceID(bytes), at: [], tag: tag)
    }

    /// - Parameter addresses: the user's own unless given.
    func record(
        _ name: String, of user: TestUser, at addresses: [PeerAddress]? = nil, tag: String?
    ) throws -> ServiceRecord {
        try record(name, user.userID, user.node.deviceID, at: addresses ?? [user.address], tag: tag)
    }

    private func record(
        _ name: String, _ userID: UserID, _ deviceID: DeviceID, at addresses: [PeerAddress], tag: String?
    ) throws -> ServiceRecord {
        let announcement = Announcement(
            deviceID: deviceID, name: try UserName(name), fingerprint: userID.fingerprint.filter { $0 != " " },
            protocolVersion: Advertisement.protocolVersion, networkTag: tag)
        return ServiceRecord(
            key: ServiceRecord.Key(instance: "\(name) \(deviceID)", interface: "lo", family: .ipv4),
            announcement: announcement, addresses: addresses)
    }
}
