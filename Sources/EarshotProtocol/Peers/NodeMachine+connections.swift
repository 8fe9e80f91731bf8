import EarshotModel

/// What the rest of the node may ask of its links.
extension NodeMachine {
    /// Puts a frame among those that leave on a link when the current input has been dealt with.
    mutating func send(_ frame: Frame, on connectionID: ConnectionID) { peers.send(frame, on: connectionID) }

    /// Who is at the other end, once that is proved and accepted.
    func peer(on connectionID: ConnectionID) -> LinkPeer? { peers.links[connectionID]?.peer }

    func isOpen(_ connectionID: ConnectionID) -> Bool { peers.links[connectionID] != nil }

    /// Ascending, whatever state they are in.
    var openConnections: [ConnectionID] { peers.links.connections }

    /// The established links to a user's devices, ascending.
    func connections(to userID: UserID) -> [ConnectionID] { peers.links.connections(to: userID) }

    /// The link to a device that stays.
    func connection(to deviceID: DeviceID) -> ConnectionID? { peers.links.connection(to: deviceID) }

    /// Links that were not used for long give way first.
    mutating func noteUse(of connectionID: ConnectionID, now: Moment) {
        peers.noteUse(of: connectionID, now: now.uptime)
    }

    /// Asks for a `tick` at this uptime, or before.
    mutating func wake(by uptime: Int64) { clocks.wake(by: uptime) }
}
