import Earshot
import EarshotGateway
import Foundation
import Glibc
import TestSupport

/// Makes the homes of a group's devices: the first of each user, and the others, which are paired with it.
struct GroupHomes {
    let devices: [GroupDevice]
    let ports: [GroupDevice: Int]
    /// The path of the program `earshot`.
    let program: String
    let folder: String

    /// Homes, whose nodes are not started.
    struct Made {
        let nodes: [GroupDevice: NodeProcess]
        private let clients: [GroupDevice: GatewayClient]

        fileprivate init(_ nodes: [GroupDevice: NodeProcess]) throws {
            self.nodes = nodes
            clients = try nodes.mapValues { try GatewayClient(home: Home(path: $0.home)) }
        }

        func home(of device: GroupDevice) -> String { nodes[device]?.home ?? "" }

        func client(_ device: GroupDevice) throws -> GatewayClient {
            guard let client = clients[device] else { throw SoakError("\(device.name) has no client") }
            return client
        }

        /// What a node that was started says of itself once it answers.
        func status(of device: GroupDevice, within limit: Duration) async throws -> GatewayStatus {
            let (client, deadline) = (try client(device), ContinuousClock.now + limit)
            while ContinuousClock.now < deadline {
                do throws(GatewayError) { return try await client.status() } catch {
                    guard error.code == .noNode else { throw error }
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw SoakError("\(device.name) does not answer")
        }
    }

    func make() async throws -> Made {
        for device in devices where device.number == 1 {
            try await Command.run(program, ["init", "--home", home(of: device), "--name", device.userName])
        }
        let made = try Made(Dictionary(uniqueKeysWithValues: devices.map { ($0, try node(of: $0)) }))
        for device in devices where device.number == 1 {
            let others = devices.filter { $0.user == device.user && $0.number > 1 }
            guard !others.isEmpty else { continue }
            guard var node = made.nodes[device] else { continue }
            try node.start()
            do {
                for other in others { try await pair(other, with: device, made) }
            } catch {
                node.signal(SIGKILL)
                throw error
            }
            node.signal(SIGTERM)
            while node.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        }
        return made
    }

    private func home(of device: GroupDevice) -> String { "\(folder)/\(device.name)" }

    /// Each node is told where all others are: on the loopback nobody is found.
    private func node(of device: GroupDevice) throws -> NodeProcess {
        let home = home(of: device)
        let peers = devices.filter { $0 != device }.flatMap { ["--peer", "127.0.0.1:\(ports[$0] ?? 0)"] }
        let arguments = ["up", "--home", home, "--port", "\(ports[device] ?? 0)", "--no-discovery"] + peers
        return try NodeProcess(home: home) { [program] log in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = log
            process.standardError = log
            try process.run()
            return process
        }
    }

    /// Both sides say yes.
    private func pair(_ new: GroupDevice, with old: GroupDevice, _ made: Made) async throws {
        let client = try made.client(old)
        _ = try await made.status(of: old, within: .seconds(60))
        let code = try await client.beginPairing(withIdentity: false, lifetime: nil).code
        let (joining, input, output) = (Process(), Pipe(), Pipe())
        joining.executableURL = URL(fileURLWithPath: program)
        joining.arguments = [
            "init", "--join", "--home", home(of: new), "--peer", "127.0.0.1:\(ports[old] ?? 0)",
            "--device-name", new.name,
        ]
        joining.standardInput = input
        joining.standardOutput = output
        joining.standardError = output
        try joining.run()
        input.fileHandleForWriting.write(Data("\(code)\ny\n".utf8))
        let deadline = ContinuousClock.now + .seconds(60)
        while joining.isRunning, ContinuousClock.now < deadline {
            let pairing = try await client.pairing(unlike: DevicePairing.State.waiting.rawValue, wait: 1)
            if pairing.state == DevicePairing.State.asking.rawValue { try await client.decidePairing(true) }
            try await Task.sleep(for: .milliseconds(20))
        }
        if joining.isRunning { joining.terminate() }
        while joining.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        guard joining.terminationStatus == 0 else {
            let said = String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
            throw SoakError("\(new.name) could not be paired with \(old.name): \(said)")
        }
    }
}
