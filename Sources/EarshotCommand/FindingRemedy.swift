import Earshot
import EarshotGateway

/// What to do about the findings of `earshot doctor`, in words for people at a terminal. `Remedy` has those for errors.
enum FindingRemedy {
    /// - Returns: `nil` if all is as it should be, and for codes that this version does not know.
    static func words(for finding: GatewayFinding) -> String? {
        guard let code = finding.code else { return nil }
        let about = EarshotError.Parameters(finding.parameters)
        return words(for: Finding.Code(code), about)
    }

    static func words(for code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        home(code, about) ?? disk(code, about) ?? credential(code, about) ?? network(code, about)
            ?? discovery(code) ?? links(code, about) ?? names(code, about) ?? programs(code)
    }

    // MARK: - This machine

    private static func home(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        let path = about.path ?? "it"
        return switch code {
        case .notInitialized: "make one with: earshot init --name YOUR-NAME, or name another home with --home"
        case .unusableHome: "check that \(path) is a directory of yours, or name another home with --home"
        case .looseFile: "chmod \(about.mode ?? "600") \(path)"
        case .staleLock: "nothing to do: the next node takes the lock over"
        case .unansweredLock:
            "end \(about.processID.map { "process \($0)" } ?? "that process"); "
                + "two nodes need two identities: earshot init --home OTHER-DIRECTORY"
        case .staleSocket: "nothing to do: the next node replaces it"
        default: nil
        }
    }

    private static func disk(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        switch code {
        case .readOnlyDisk: "mount it for writing, or name a home on another disk with --home"
        case .lowSpace: "free some space" + (about.limit.map { ", at least \($0 >> 20) MiB" } ?? "")
        case .storageFailing: "free some space or repair the disk; the node tries again by itself"
        case .commitsFailed: "look for the reason before it comes back: df -h, dmesg"
        case .slowCommits:
            "see what else writes to the disk: iostat -x 1; or move the home directory to a faster one"
        case .databaseDamaged:
            "end the node if one runs; move history.db aside, and history.db-wal if it is there; then "
                + "restore a backup of both, or begin a new history with: earshot up"
        case .databaseNewer: Remedy.words(for: .storeNewer, about)
        case .databaseUnreadable: "check that the file and its directory are yours and can be read"
        default: nil
        }
    }

    private static func credential(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        switch code {
        case .credentialSealed: Remedy.sealed
        case .credentialNeedsPrimary: Remedy.needsPrimary
        case .deviceRevoked: Remedy.revoked
        case .onlyPrimary:
            "keep a sealed backup elsewhere (earshot export FILE), or add a second primary device "
                + "(earshot device add --with-identity)"
        case .credentialExpired: "nothing to do: a node renews it when it starts (earshot up)"
        case .credentialNotRenewed: "end the node and start it again: earshot up"
        case .credentialNotYetValid: "set the clock: timedatectl set-ntp true"
        case .credentialUnreadable: Remedy.words(for: .unusableHome, about)
        case .copiesOwed:
            "make the folder, or room in it: they are put there within half a minute; or change the rule: earshot files rule list"
        case .ownClockWrong: "set the clock by the network: timedatectl set-ntp true; look at it with: timedatectl"
        case .clockWasSet: "let the network set the clock: timedatectl set-ntp true"
        case .stampsAhead: "it ends by itself at that time; set the clock by the network: timedatectl set-ntp true"
        case .peerClockWrong: "set the clock there: timedatectl set-ntp true"
        default: nil
        }
    }

    // MARK: - The network

    private static func network(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        switch code {
        case .noInterface: "plug in a cable or join a wireless network, and check with: ip address"
        case .interfaceSkipped: "nothing to do, unless people are there: then name a peer with --peer HOST:PORT"
        case .routeCaptured:
            "allow local network access in \(about.interface.map { "the VPN on \($0)" } ?? "that route (ip route)"), "
                + "or end it; see: ip route get ADDRESS-OF-A-PEER"
        case .multicastPortKept:
            "end the program that keeps UDP port 5353 for itself, if there is one: ss -ulpn 'sport = :5353'; "
                + "or name a peer with --peer HOST:PORT"
        case .multicastBlocked:
            "let UDP port 5353 through the firewall, in and out; or name a peer with --peer HOST:PORT"
        case .multicastOff:
            "switch it on with: ip link set \(about.interface ?? "INTERFACE") multicast on; "
                + "or name a peer with --peer HOST:PORT"
        case .portUnreachable: openPort(about.port)
        case .portUnknown: "ask again when somebody is linked"
        default: nil
        }
    }

    /// The package has profiles for the default port.
    private static func openPort(_ port: UInt16?) -> String {
        let profiles = "ufw allow earshot; or: firewall-cmd --permanent --add-service=earshot && firewall-cmd --reload"
        let open = "open TCP port \(port.map { "\($0)" } ?? "PORT") in this machine's firewall"
        guard port != NetworkOptions.defaultPort else { return "\(open): \(profiles)" }
        return "\(open); or take the port that its profiles open, with --port \(NetworkOptions.defaultPort): "
            + profiles
    }

    private static func discovery(_ code: Finding.Code) -> String? {
        switch code {
        case .embeddedDiscovery:
            "nothing to do; to share one daemon with other programs: systemctl start avahi-daemon"
        case .discoveryStarting: "ask again in a few seconds"
        case .discoveryOff: "leave out --no-discovery, or name peers with --peer HOST:PORT"
        case .discoveryUnavailable:
            "end the program that keeps UDP port 5353 for itself, if there is one (ss -ulpn 'sport = :5353'), "
                + "or start the daemon (systemctl start avahi-daemon), or name peers with --peer HOST:PORT"
        case .noLinks: "see why links failed, here and on the other machine"
        case .nobodyFound:
            "run earshot up on another machine of this network; across networks, name it with --peer HOST:PORT"
        case .otherNetworksOnly:
            "compare the keys with: earshot network show; take the others' with: earshot network join"
        case .deviceCopied: Remedy.copied
        default: nil
        }
    }

    // MARK: - Links

    private static func links(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        let reason = about.detail?.description ?? ""
        return switch code {
        case .linkFailed: link(reason)
        case .connectionsLimited:
            "see who connects: ss -tn 'sport = :\(about.port.map { "\($0)" } ?? "PORT")'; keep them out with a firewall"
        case .handshakesRefused: handshake(reason, isByPeer: false)
        case .handshakesRefusedByPeers: handshake(reason, isByPeer: true)
        default: nil
        }
    }

    private static func link(_ code: String) -> String {
        switch code {
        case "unreachable": "see whether a node runs there and its port is open: earshot doctor on that machine"
        case "otherNetwork": "compare the network keys on both machines: earshot network show"
        case "unsupportedVersion": "update the older of the two programs"
        case "blocked": "ask them to let you back in: earshot unblock YOUR-NAME, on their machine"
        case "notAdmitted": "ask them to start their node with: earshot up --allow YOUR-KEY"
        case "identityConflict":
            "ask them to compare your fingerprint (earshot status), and then: earshot trust YOUR-NAME --accept"
        case "credentialExpired": "restart the node there, with its passphrase if it has one; check both clocks"
        case "credentialNotYetValid": "check both clocks: timedatectl"
        default: "the node tries again by itself; if it stays so: earshot doctor on the other machine"
        }
    }

    private static func handshake(_ reason: String, isByPeer: Bool) -> String {
        switch reason {
        case "blocked", "notAdmitted": "nothing to do if this is intended; else: earshot users"
        case "otherNetwork": "nothing to do if this is intended; else compare the network keys: earshot network show"
        case "identityConflict": "compare fingerprints in person: earshot verify NAME"
        case "closedByPeer": "nothing to do if links are made nevertheless"
        case "credentialExpired", "credentialNotYetValid":
            "check the clocks of both machines: timedatectl; and restart the node whose credential has expired"
        case "unsupportedVersion": "update the older of the two programs"
        case "timeout": "see whether a firewall drops packets on the way"
        case "tooManyRequests" where isByPeer: "wait; if it stays so, restart this node"
        case "tooManyRequests": "see who it is: earshot up --log-level notice; and shut them out: earshot block NAME"
        case "overloaded": "wait, or see who else links to that node: earshot status"
        default:
            "something else speaks to the port, or passes for a peer: see from where with earshot up --log-level notice"
        }
    }

    // MARK: - Names and programs

    private static func names(_ code: Finding.Code, _ about: EarshotError.Parameters) -> String? {
        let choices = Remedy.choices(about)
        let first = choices.first ?? "NAME"
        return switch code {
        case .ownNameTaken:
            "ask who it is. Either one takes another name, or contacts choose with: earshot trust \(first) --accept"
        case .nameConflict:
            "ask \(about.name ?? "them") which key is theirs; then: earshot trust \(first) --accept, "
                + "or: earshot block \(first)" + (choices.count > 1 ? "; the others are in: earshot users" : "")
        case .nameAmbiguous:
            "ask the person for their fingerprint; then, for the right one of "
                + "\(list(choices)): earshot trust \(first) --accept"
        case .manyNames: "see who claims which, and what to type for each: earshot users"
        default: nil
        }
    }

    /// The first items of a list that others may make long.
    private static func list(_ items: [String]) -> String {
        let listed = 5
        guard items.count > listed else { return items.joined(separator: ", ") }
        return items.prefix(listed).joined(separator: ", ") + " and \(items.count - listed) more"
    }

    private static func programs(_ code: Finding.Code) -> String? {
        switch code {
        case .eventsLost: "read the history after an eventsLost, or read the events faster"
        case .nodeStarted: "keep one running: earshot up"
        case .noNode: "start one to see more: earshot up"
        default: nil
        }
    }
}
