import EarshotModel

/// Bytes of entries that came, are proved, and are not on the disk: of each device over all of its links, and of all.
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
