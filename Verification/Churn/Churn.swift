import ArgumentParser
import Dispatch
import EarshotDiscovery
import EarshotModel
import Glibc

/// Advertises a crowd of devices until SIGTERM or SIGINT, and then says goodbye for them. None of them listens.
@main
struct Churn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn", abstract: "Devices that nobody has seen before appear, and disappear on SIGTERM.")

    /// The discard service's port, where nobody listens: a dial fails at once.
    private static let port: UInt16 = 9
    /// The bytes of a device id that make up the end of the instance name.
    private static let numberBytes = 5

    @Option(help: "The number of the first device; it makes the device id.") var first: Int
    @Option(help: "How many devices.") var count: Int
    @Option(help: "The interface to advertise them on.") var interface = "eth0"

    func validate() throws {
        guard first >= 0, count > 0, count <= Limits.discoveredDevices, first <= 1 << (8 * Self.numberBytes) - count
        else { throw ValidationError("There are 1 to \(Limits.discoveredDevices) devices, numbered with 40 bits.") }
    }

    func run() async throws {
        let devices = try (first..<first + count).map { try Self.device($0) }
        let crowd = Task { [interface] in try await EmbeddedCrowd.advertise(devices, on: interface) }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { crowd.cancel() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        try await crowd.value
    }

    private static func device(_ number: Int) throws -> Advertisement {
        var bytes = [UInt8](repeating: 0, count: Bytes32.count)
        for place in 0..<numberBytes {
            bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * (numberBytes - 1 - place)))
        }
        guard let id = Bytes32(bytes) else { preconditionFailure("thirty-two bytes are thirty-two bytes") }
        return Advertisement(name: try UserName("crowd"), userID: UserID(id), deviceID: DeviceID(id), port: port)
    }
}
