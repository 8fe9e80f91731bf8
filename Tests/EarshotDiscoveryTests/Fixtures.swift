import EarshotModel

@testable import EarshotDiscovery

/// A device, told apart from others by one byte.
func deviceID(_ seed: UInt8) -> DeviceID { DeviceID(bytes32(seed)) }

func advertisement(
    _ name: String, seed: UInt8, port: UInt16 = 4000, networkTag: String? = nil
) throws -> Advertisement {
    Advertisement(
        name: try UserName(name), userID: UserID(bytes32(seed)), deviceID: deviceID(seed), networkTag: networkTag,
        port: port)
}

func announcement(_ name: String, seed: UInt8, networkTag: String? = nil) throws -> Announcement {
    try Announcement(advertisement(name, seed: seed, networkTag: networkTag).txtRecord())
}

func record(
    _ name: String, seed: UInt8, on interface: String = "eth0", _ family: AddressFamily = .ipv4,
    at addresses: [String], networkTag: String? = nil
) throws -> ServiceRecord {
    ServiceRecord(
        key: ServiceRecord.Key(instance: "instance \(seed)", interface: interface, family: family),
        announcement: try announcement(name, seed: seed, networkTag: networkTag),
        addresses: addresses.compactMap { PeerAddress($0) })
}

private func bytes32(_ seed: UInt8) -> Bytes32 {
    guard let bytes = Bytes32([UInt8](repeating: seed, count: Bytes32.count)) else {
        preconditionFailure("thirty-two bytes are thirty-two bytes")
    }
    return bytes
}
