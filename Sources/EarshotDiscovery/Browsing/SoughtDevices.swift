import EarshotModel
import Synchronization

/// Devices that could not be reached where they were found, on their way to the thread that looks them up again.
final class SoughtDevices: Sendable {
    /// Devices that wait for that thread. One that finds no room is sought again when the next dial fails.
    static let limit = 1024

    private struct State {
        var devices: Set<DeviceID> = []
        var bell: Bell?
    }

    private let state = Mutex(State())

    /// Called on any thread.
    func add(_ deviceID: DeviceID) {
        state.withLock { state in
            // While nobody looks for anybody, all are looked up anyway as soon as somebody does.
            guard let bell = state.bell, state.devices.count < Self.limit else { return }
            state.devices.insert(deviceID)
            bell.ring()
        }
    }

    /// The devices that were added since the last call, ascending.
    func take() -> [DeviceID] {
        state.withLock { state in
            state.bell?.silence()
            defer { state.devices = [] }
            return state.devices.sorted()
        }
    }

    /// From now on this is rung for each device; `nil` where nobody takes any.
    func announce(by bell: Bell?) {
        state.withLock { $0 = State(bell: bell) }
    }
}
