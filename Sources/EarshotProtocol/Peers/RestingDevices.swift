import EarshotModel

/// Devices that are there, and have no link only because there are too many; and what has changed about that.
struct RestingDevices: Sendable {
    private var devices: Set<DeviceID> = []
    /// Those that are new among them, or are there no longer.
    private var changed: Set<DeviceID> = []

    var isEmpty: Bool { devices.isEmpty }

    mutating func note(_ deviceID: DeviceID, isResting: Bool) {
        guard isResting != devices.contains(deviceID) else { return }
        if isResting { devices.insert(deviceID) } else { devices.remove(deviceID) }
        changed.insert(deviceID)
    }

    /// What has changed since this was last asked, ascending.
    mutating func takeNews() -> [(deviceID: DeviceID, isResting: Bool)] {
        guard !changed.isEmpty else { return [] }
        defer { changed = [] }
        return changed.sorted().map { ($0, devices.contains($0)) }
    }
}
