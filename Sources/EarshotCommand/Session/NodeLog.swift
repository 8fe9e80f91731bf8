import Earshot
import EarshotGateway

/// Writes what happens to a running node, a line each.
///
/// Who comes and goes is written to standard output, trouble to standard error; as JSON all goes to standard output.
struct NodeLog {
    let output: Output
    /// The last failure at each address: the same one again is no news.
    private var failures: [String: String] = [:]
    private static let rememberedFailures = 1024

    init(output: Output) { self.output = output }

    mutating func write(_ event: GatewayEvent) throws {
        guard isNews(event) else { return }
        try output.object(event)
        if !output.isJSON { describe(event) }
    }

    private mutating func isNews(_ event: GatewayEvent) -> Bool {
        guard event.name == EventName.linkFailed.rawValue, let address = event.address else { return true }
        // How long a credential is over changes from one try to the next, and nothing else does.
        let isCredential = event.code?.hasPrefix("credential") == true
        let failure = "\(event.code ?? ""): \(isCredential ? "" : event.reason ?? "")"
        guard failures[address] != failure else { return false }
        if failures.count >= Self.rememberedFailures { failures.removeAll() }
        failures[address] = failure
        return true
    }

    private func describe(_ event: GatewayEvent) {
        let name = SafeText.line(event.user?.name ?? "somebody")
        let reason = event.reason ?? "the reason is unknown"
        switch EventName(rawValue: event.name) {
        case .userDiscovered: output.line("\(name) was met for the first time: \(event.user?.fingerprint ?? "")")
        case .userUpdated: describeUpdate(event, name: name)
        case .identityConflict: describe(event.conflict)
        case .linkFailed: output.note("no link to \(event.address ?? name): \(reason)")
        case .clockSkewed: output.note(Self.skew(event.aheadMilliseconds ?? 0, of: name))
        case .credentialWillExpire, .credentialExpired, .credentialNotYetValid:
            let text = Self.notice(EventName(rawValue: event.name), event.credential)
            output.note(text + (event.credential?.remedy.map { ": \($0)" } ?? ""))
        case .credentialRenewed: output.line(Self.notice(.credentialRenewed, event.credential))
        case .otherNetworkSeen:
            let network = event.networkTag.map { "network \($0)" } ?? "without a network key"
            output.note(
                "a node of another network is here (\(network)): if it should be yours, compare the keys on both "
                    + "machines: earshot network show")
        case .storageFailed: output.note("the disk does not take what is to be written: \(reason)")
        case .storageRecovered: output.note("the disk takes writes again")
        case .discoveryUnavailable:
            output.report(
                Failure(
                    .networkUnavailable, "nobody can be found with \(event.source ?? "discovery"): \(reason)",
                    remedy: "start the Avahi daemon (systemctl start avahi-daemon), or name peers with --peer"))
        case .discoveryAvailable: output.line("users are found with \(SafeText.line(event.source ?? "discovery"))")
        default: break
        }
    }

    private func describeUpdate(_ event: GatewayEvent, name: String) {
        guard let user = event.user, event.changes?.contains(UserChange.isOnline.rawValue) == true else { return }
        output.line("\(name) is \(user.isOnline ? output.style.green("online") : output.style.dim("offline"))")
    }

    static func notice(_ name: EventName?, _ credential: GatewayCredentialNotice?) -> String {
        let (notBefore, notAfter) = (credential?.notBefore ?? "another time", credential?.notAfter ?? "an unknown time")
        return switch name {
        case .credentialWillExpire: "this device's credential ends at \(notAfter)"
        case .credentialExpired: "this device's credential ended at \(notAfter), and nobody takes a new link with it"
        case .credentialNotYetValid: "this device's credential begins at \(notBefore), later than now by this clock"
        default: "this device has a new credential, until \(notAfter)"
        }
    }

    static func skew(_ ahead: Int64, of name: String) -> String {
        let seconds = ahead.magnitude / 1000
        let units: [(size: UInt64, name: String)] = [(24 * 3600, "days"), (3600, "hours"), (60, "minutes")]
        let unit = units.first { seconds >= 2 * $0.size } ?? (1, "seconds")
        let direction = ahead < 0 ? "behind" : "ahead of"
        return "the clock of \(name) is \(seconds / unit.size) \(unit.name) \(direction) this machine's: "
            + "set the clock of one of the two right"
    }

    private func describe(_ conflict: GatewayConflict?) {
        guard let conflict else { return }
        let claimant = UserID(conflict.claimedBy)?.fingerprint ?? conflict.claimedBy
        output.report(
            Failure(
                .ambiguousUser,
                "another key claims the name of \(conflict.name), and nothing was sent to it: \(claimant)",
                remedy: "ask \(conflict.name) in person; who it is, the fingerprint says: earshot users"))
    }
}
