import ArgumentParser
import Earshot
import EarshotGateway

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Your other machines: add one, list, rename and revoke them.",
        discussion: """
            A primary device holds your identity and vouches for linked devices, which hold only keys of their own. It \
            renews their credentials whenever they are linked.

            EXAMPLES:
              earshot device add
              earshot device list
              earshot device rename 3fk9qbmj desktop
              earshot device revoke desktop
            """,
        subcommands: [DeviceAdd.self, DeviceList.self, DeviceRename.self, DeviceRevoke.self])
}

struct DeviceAdd: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make another machine a device of yours.",
        discussion: """
            Prints a one-time code, good for 10 minutes. Type it on the other machine: earshot init --join. Both \
            machines then show who is at the other end, and ask. Compare the fingerprints before you say yes.

            The new device is a linked one: it gets a credential and the network key, and not your identity. With \
            --with-identity it becomes a second primary device, so that you do not lose your identity with this one.

            EXAMPLES:
              earshot device add
              earshot device add --valid-for 30d
              earshot device add --with-identity
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "How a node that this command starts reaches others") var network: NetworkOptions

    @Flag(name: .customLong("with-identity"), help: "Give it your identity, too: it becomes a primary device.")
    var withIdentity = false

    @Option(
        name: .customLong("valid-for"),
        help: ArgumentHelp(
            "How long a credential of the linked device is valid; 90d unless given. This machine renews it in time. "
                + SpanOfTime.units, valueName: SpanOfTime.valueName), transform: SpanOfTime.readPositive)
    var lifetime: Duration?

    /// How long one answer of the node may take, in seconds.
    private static let wait = 30

    private struct Record: Encodable {
        var code: String?
        var pairing: GatewayPairing?
    }

    func validate() throws {
        guard !withIdentity || lifetime == nil else {
            throw ValidationError("--valid-for is for linked devices; one with the identity renews its own credential.")
        }
    }

    func execute(_ output: Output) async throws {
        let (withIdentity, lifetime) = (withIdentity, lifetime)
        try await Session.with(common.homeDirectory, network: network) { session in
            let status = try await session.client.status()
            let offer = try await session.client.beginPairing(withIdentity: withIdentity, lifetime: lifetime)
            try output.object(Record(code: offer.code))
            output.line("On the new machine run: earshot init --join, and type this code within 10 minutes:\n")
            output.line("  \(offer.code)\n")
            output.line("It will show your name and this fingerprint: \(status.fingerprint)")
            do { try await follow(session.client, output) } catch {
                // Nobody is left to answer for this node's user.
                try await session.client.endPairing()
                throw error
            }
        }
        if withIdentity { return }
        output.note("keep your identity safe beside this machine: earshot export FILE, or device add --with-identity")
    }

    private func follow(_ client: GatewayClient, _ output: Output) async throws {
        var state = DevicePairing.State.waiting
        while true {
            let pairing = try await client.pairing(unlike: state.rawValue, wait: Self.wait)
            let next = DevicePairing.State(rawValue: pairing.state) ?? .failed
            guard next != state else { continue }
            state = next
            try output.object(Record(pairing: pairing))
            let name = SafeText.line(pairing.deviceName ?? "")
            switch state {
            case .none, .failed:
                throw Failure(
                    .pairingFailed, "no device was added: \(pairing.reason ?? "the pairing was ended")",
                    remedy: Remedy.words(for: .pairingFailed, .init()))
            case .waiting: continue
            case .asking:
                output.line("A device called \"\(name)\" has the code. The new machine must show this fingerprint:")
                output.line("  \(pairing.fingerprint ?? "")")
                try await client.decidePairing(try await Confirmation.ask("Is it yours?"))
            case .accepted: output.line("waiting for a yes on the new machine")
            case .done:
                output.line("\"\(name)\" is a device of yours now")
                return
            }
        }
    }
}

struct DeviceList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your devices.",
        discussion: """
            EXAMPLES:
              earshot device list
              earshot device list --json | jq -r 'select(.isRevoked) | .id'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let devices = try await Session.with(common.homeDirectory) { try await $0.client.devices() }
        for device in devices { try output.object(device) }
        let table = Table(
            titles: ["NAME", "ID", "KIND", "CREDENTIAL UNTIL", "SEEN"],
            rows: devices.map { device in
                [
                    SafeText.line(device.name ?? "-"), String(device.id.prefix(8)),
                    device.isPrimary ? "primary" : "linked", device.credentialEnd ?? "-", Self.seen(device),
                ].map { Table.Cell(text: $0) }
            })
        for line in table.lines(output.style) { output.line(line) }
    }

    private static func seen(_ device: GatewayDevice) -> String {
        if device.isRevoked { return "revoked" }
        if device.isThisDevice { return "this device" }
        return device.isOnline ? "now" : device.lastSeen ?? "never"
    }
}

struct DeviceRename: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Call a device by another name, on all of your devices.",
        discussion: """
            EXAMPLES:
              earshot device rename 3fk9qbmj desktop
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The device's name, or the beginning of its id.")
    var device: String

    @Argument(help: "What you call it: at most \(Limits.nameBytes) bytes.")
    var name: String

    func execute(_ output: Output) async throws {
        let (device, name) = (device, name)
        let renamed = try await Session.with(common.homeDirectory) {
            try await $0.client.renameDevice(device, to: name)
        }
        try output.object(renamed)
        output.line("the device \(renamed.id.prefix(8)) is called \(SafeText.line(renamed.name ?? "nothing"))")
    }
}

struct DeviceRevoke: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a device for good: one that was lost, stolen or sold.",
        discussion: """
            Everybody who hears of it refuses the device from then on. They hear of it from your devices, when they are \
            linked. Until they have, and until its credential ends, the device can still speak for you to them. There \
            is no way back: to use the machine again, make it a new device.

            EXAMPLES:
              earshot device revoke desktop
              earshot device revoke 3fk9qbmj --yes
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The device's name, or the beginning of its id.")
    var device: String

    @Flag(name: .customLong("yes"), help: "Do not ask.")
    var isSure = false

    func execute(_ output: Output) async throws {
        let (device, isSure) = (device, isSure)
        let revoked = try await Session.with(common.homeDirectory) { session in
            let shown = SafeText.line(device)
            if !isSure {
                guard try await Confirmation.ask("Revoke \(shown) for good?") else {
                    throw Failure(.notConfirmed, "nothing was revoked", remedy: "say yes, or --yes in a script")
                }
            }
            return try await session.client.revokeDevice(device)
        }
        try output.object(revoked)
        output.line("\(SafeText.line(revoked.name ?? String(revoked.id.prefix(8)))) is revoked")
    }
}
