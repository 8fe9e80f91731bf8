import EarshotModel

/// Bytes of received entries that are proved and not on the disk: for each device over all of its links, and for all
/// devices.
struct ReceivedBytes: Sendable {
    private var ofDevice: [DeviceID: Int] = [:]
    private(set) var total = 0

    subscript(deviceID: DeviceID) -> Int { ofDevice[deviceID, default: 0] }

    mutating func add(_ bytes: Int, of deviceID: DeviceID) {
        ofDevice[deviceID, default: 0] += bytes
        total += bytes
    }

    mutating func remove(_ bytes: Int, of deviceID: DeviceID) {
        let left = self[deviceID] - bytes
        ofDevice[deviceID] = left > 0 ? left : nil
        total -= bytes
    }
}
