import EarshotModel

@testable import EarshotDiscovery

/// Many devices, advertised by one stack in this process on one interface.
struct Crowd {
    /// The first byte of their device ids, which no other device of the tests has.
    static let mark: UInt8 = 0xcc

    /// Advertises the devices until the task is cancelled, then says goodbye.
    static func appear(_ range: Range<Int>, on interface: String) async throws {
        let name = try UserName("crowd")
        let devices = range.map { number in
            let id = Self.id(number)
            return Advertisement(name: name, userID: UserID(id), deviceID: DeviceID(id), port: 9)
        }
        try await EmbeddedCrowd.advertise(devices, on: interface)
    }

    private static func id(_ number: Int) -> Bytes32 {
        var bytes = [UInt8](repeating: mark, count: Bytes32.count)
        (bytes[1], bytes[2]) = (UInt8(number >> 8 & 0xff), UInt8(number & 0xff))
        guard let id = Bytes32(bytes) else { preconditionFailure("thirty-two bytes are thirty-two bytes") }
        return id
    }
}
