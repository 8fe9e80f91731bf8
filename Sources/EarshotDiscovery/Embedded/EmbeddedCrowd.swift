/// Many devices, advertised by one stack in this process that looks for nobody. Tests try a node with them.
package enum EmbeddedCrowd {
    private static let hostName = "crowd"

    /// Advertises the devices on one interface until the task is cancelled, then says goodbye for them.
    /// - Throws: `stackFailed`, also for an interface that is not there; `outOfResources`, and `invalidAnnouncement`.
    package static func advertise(_ devices: [Advertisement], on interface: String) async throws(DiscoveryError) {
        guard let index = NetworkInterface.present().first(where: { $0.name == interface })?.index else {
            throw DiscoveryError(.stackFailed, "there is no interface \(interface)")
        }
        try await BlockingWork.run { wakeUp throws(DiscoveryError) in
            try advertise(devices, on: NetworkInterface(index: index, name: interface), until: wakeUp)
        }
    }

    private static func advertise(
        _ devices: [Advertisement], on interface: NetworkInterface, until wakeUp: WakeUp
    ) throws(DiscoveryError) {
        let stack = try AvahiStack(
            hostName: hostName, denied: [], allowsPointToPoint: false, gauge: OperationGauge(), wakeUp: wakeUp)
        let addresses = HostAddresses.byInterface()[interface.name] ?? []
        var advertised = [try stack.advertise(addresses, on: interface.index)]
        for device in devices {
            let txt = try device.txtRecord().encoded
            advertised.append(
                try stack.advertise(device.instanceName, port: device.port, txt: txt, on: interface.index))
        }
        while try goesOn(after: stack.turn(milliseconds: -1)) {}
        advertised = []
    }

    private static func goesOn(after events: [AvahiInbox.Event]) throws(DiscoveryError) -> Bool {
        for event in events {
            switch event {
            case .wokenUp: return false
            case .failed: throw DiscoveryError(.stackFailed, "the embedded DNS-SD stack failed")
            case .hostNameTaken, .instanceNameTaken:
                throw DiscoveryError(.stackFailed, "another host has the name of one of the crowd")
            case .lookup, .rung, .networkChanged, .daemonRunning, .daemonNotRunning, .registered: continue
            }
        }
        return true
    }
}
