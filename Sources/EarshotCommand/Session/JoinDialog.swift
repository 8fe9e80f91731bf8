import Earshot
import Foundation

/// What `earshot init --join` says and asks.
struct JoinDialog {
    let home: Home
    let output: Output

    private struct Record: Encodable {
        let isMade = true
        let home: String
        let name: String
        let id: String
        let fingerprint: String
        let isPrimary: Bool
        let deviceFingerprint: String
        let networkTag: String?
    }

    func run(_ options: Init) async throws {
        guard !home.isInitialized else {
            throw Failure(
                .alreadyInitialized, "there is an identity in \(home.path) already",
                remedy: Remedy.words(for: .alreadyInitialized, .init()))
        }
        let passphrase = try options.passphrase.read(confirming: true)
        let code = try Self.code()
        let output = output
        output.line("looking for the machine that shows this code")
        let offer = try await home.join(
            code, at: options.peer, deviceName: options.deviceName, passphrase: passphrase
        ) { await Self.confirm($0, output) }
        output.line("this machine is a device of \(SafeText.line(offer.name.text)) now, in \(SafeText.line(home.path))")
        let networkKey = try home.networkKey()
        if let networkKey { output.line("network: \(networkKey.tag)") }
        try output.object(
            Record(
                home: home.path, name: offer.name.text, id: offer.userID.description,
                fingerprint: offer.userID.fingerprint, isPrimary: offer.isPrimary,
                deviceFingerprint: offer.ownFingerprint, networkTag: networkKey?.tag))
    }

    private static func code() throws -> DevicePairingCode {
        guard StandardInput.isTerminal else {
            return try DevicePairingCode(readingFrom: STDIN_FILENO, isLine: true)
        }
        return try HiddenPrompt.onTerminal("pairing code", alternative: "give it on standard input") { terminal in
            try HiddenPrompt.ask("Pairing code: ", on: terminal) {
                try DevicePairingCode(readingFrom: $0, isLine: true)
            }
        }
    }

    /// An answer that cannot be read is no yes.
    private static func confirm(_ offer: JoinOffer, _ output: Output) async -> Bool {
        let kind = offer.isPrimary ? "a primary device" : "a linked device"
        let from = offer.deviceName.isEmpty ? "" : " (on \"\(SafeText.line(offer.deviceName))\")"
        output.line("This becomes \(kind) of \(SafeText.line(offer.name.text))\(from). Compare on both machines:")
        output.line("  the user \(SafeText.line(offer.name.text)): \(offer.userID.fingerprint)")
        output.line("  this device: \(offer.ownFingerprint)")
        do { return try await Confirmation.ask("Are both the same there?") } catch { return false }
    }
}
