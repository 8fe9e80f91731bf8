import EarshotModel

/// The devices of other networks that discovery sees now, and which networks were reported.
struct OtherNetworks: Sendable {
    private var tags: [DeviceID: String?] = [:]
    private var told: Set<String?> = []

    /// How many devices there are.
    var count: Int { tags.count }

    /// A device of another network is here.
    /// - Returns: its network, if it was not yet reported. Past `Limits.otherNetworks` none is reported, because
    ///   anybody can advertise any number of them.
    mutating func seen(_ deviceID: DeviceID, tag: String?) -> OtherNetwork? {
        tags.updateValue(tag, forKey: deviceID)
        guard told.count < Limits.otherNetworks, told.insert(tag).inserted else { return nil }
        return OtherNetwork(tag: tag)
    }

    /// A device is gone, or now belongs to this node's network.
    mutating func lost(_ deviceID: DeviceID) { tags.removeValue(forKey: deviceID) }
}
