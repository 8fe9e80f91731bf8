import EarshotModel
import Testing

@testable import EarshotDiscovery

/// Many devices, advertised by one stack in this process on one interface.
struct Crowd {
    /// The first byte of their device ids, which no other device of the tests has.
    static let mark: UInt8 = 0xcc

    /// Advertises the devices until the task is cancelled, then says goodbye.
    static func appear(_ range: Range<Int>, on interface: String) async throws {
        let index = try #require(NetworkInterface.present().first { $0.name == interface }?.index)
        let failure = try await BlockingWork.run("crowd") { wakeUp -> DiscoveryError? in
            do throws(DiscoveryError) {
                try advertise(range, on: index, until: wakeUp)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private static func advertise(_ range: Range<Int>, on index: UInt32, until wakeUp: WakeUp) throws(DiscoveryError) {
        let stack = try AvahiStack(
            hostName: "crowd", denied: [], allowsPointToPoint: false, gauge: OperationGauge(), wakeUp: wakeUp)
        let addresses = HostAddresses.byInterface()[NetworkInterface(index: index).name] ?? []
        var advertised = [try stack.advertise(addresses, on: index)]
        for number in range {
            let device = Announcement(
                deviceID: deviceID(number), name: name, fingerprint: String(repeating: "0", count: 20),
                protocolVersion: 1, networkTag: nil)
            advertised.append(
                try stack.advertise(
                    "crowd \(number)", port: 9, txt: try device.txtRecord().encoded, on: index))
        }
        while !(try stack.turn(milliseconds: -1)).contains(where: { if case .wokenUp = $0 { true } else { false } }) {}
        advertised = []
    }

    private static let name: UserName = {
        do { return try UserName("crowd") } catch { preconditionFailure("crowd is a name") }
    }()

    private static func deviceID(_ number: Int) -> DeviceID {
        var bytes = [UInt8](repeating: mark, count: Bytes32.count)
        (bytes[1], bytes[2]) = (UInt8(number >> 8 & 0xff), UInt8(number & 0xff))
        guard let id = Bytes32(bytes) else { preconditionFailure("thirty-two bytes are thirty-two bytes") }
        return DeviceID(id)
    }
}

/// Waits until something is so; an issue after 30 s.
func waitUntil(_ what: String, _ isSo: () throws -> Bool) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(30))
    while !(try isSo()) {
        guard ContinuousClock.now < end else {
            Issue.record("not in time: \(what)")
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
