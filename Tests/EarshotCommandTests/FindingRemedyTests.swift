import Earshot
import EarshotModel
import Testing

@testable import EarshotCommand

@Suite("The remedy that the doctor names for a finding")
struct FindingRemedyTests {
    @Test(
        "can be typed as it stands",
        arguments: [
            (.notInitialized, .init(path: "/h"), "earshot init"),
            (.unusableHome, .init(path: "/h"), "/h is a directory of yours"),
            (.looseFile, .init(path: "/h/device.key", mode: "600"), "chmod 600 /h/device.key"),
            (.unansweredLock, .init(processID: 4711), "end process 4711"),
            (.unansweredLock, .init(), "earshot init --home"),
            (.staleLock, .init(), "nothing to do"), (.staleSocket, .init(), "nothing to do"),
            (.lowSpace, .init(limit: 256 << 20), "free some space, at least 256 MiB"),
            (.readOnlyDisk, .init(), "mount"), (.storageFailing, .init(), "free some space"),
            (.commitsFailed, .init(), "df -h"), (.slowCommits, .init(), "iostat"),
            (.databaseDamaged, .init(), "history.db-wal"), (.databaseNewer, .init(), "update"),
            (.databaseUnreadable, .init(), "can be read"),
            (.credentialSealed, .init(), "--passphrase-file"), (.credentialExpired, .init(), "earshot up"),
            (.credentialNotRenewed, .init(), "start it again"), (.credentialNotYetValid, .init(), "timedatectl"),
            (.credentialUnreadable, .init(.malformed), "restore it from a backup"),
            (.copiesOwed, .init(path: "/srv/in"), "earshot files rule list"),
            (.clockWasSet, .init(), "timedatectl"), (.stampsAhead, .init(), "timedatectl"),
            (.ownClockWrong, .init(), "timedatectl"), (.peerClockWrong, .init(), "set the clock there"),
        ] as [(Finding.Code, EarshotError.Parameters, String)])
    func machine(code: Finding.Code, about: EarshotError.Parameters, expected: String) {
        expect(expected, for: code, about)
    }

    @Test(
        "can be typed as it stands, in the network too",
        arguments: [
            (.noInterface, .init(), "cable"), (.interfaceSkipped, .init(), "--peer"),
            (.routeCaptured, .init(interface: "tun0"), "the VPN on tun0"), (.routeCaptured, .init(), "ip route"),
            (.multicastBlocked, .init(), "UDP port 5353"), (.multicastPortKept, .init(), "ss -ulpn"),
            (.multicastOff, .init(interface: "eth0"), "ip link set eth0"),
            (.portUnreachable, .init(port: 7000), "open TCP port 7000"),
            (.portUnreachable, .init(port: 28_350), "open TCP port 28350"), (.portUnknown, .init(), "ask again"),
            (.embeddedDiscovery, .init(), "nothing to do"), (.discoveryStarting, .init(), "ask again"),
            (.discoveryOff, .init(), "--no-discovery"), (.discoveryUnavailable, .init(), "ss -ulpn"),
            (.noLinks, .init(), "why links failed"), (.nobodyFound, .init(), "--peer"),
            (.otherNetworksOnly, .init(), "earshot network show"), (.deviceCopied, .init(), "earshot init"),
            (.linkFailed, .init(EarshotError.Detail("otherNetwork")), "earshot network show"),
            (.linkFailed, .init(EarshotError.Detail("unreachable")), "doctor on that machine"),
            (.connectionsLimited, .init(port: 7000), "sport = :7000"),
            (.handshakesRefused, .init(EarshotError.Detail("unauthentic")), "something else speaks"),
            (.handshakesRefused, .init(EarshotError.Detail("blocked")), "if this is intended"),
            (.handshakesRefusedByPeers, .init(EarshotError.Detail("tooManyRequests")), "restart this node"),
            (.eventsLost, .init(), "read the history"), (.nodeStarted, .init(), "earshot up"),
        ] as [(Finding.Code, EarshotError.Parameters, String)])
    func network(code: Finding.Code, about: EarshotError.Parameters, expected: String) {
        expect(expected, for: code, about)
    }

    @Test(
        "names the key of somebody whose name is none to copy",
        arguments: ["a'\u{301};id;'\u{301}b", "it's", "$(id)", "a\"b", "-rf", "bob@3fk9qbmj", "a\\b", "a!b", "a/b"])
    func key(name: String) {
        for code in [Finding.Code.ownNameTaken, .nameConflict, .nameAmbiguous] {
            expect("earshot trust \(Self.userID) --accept", for: code, Self.about(name))
        }
    }

    @Test(
        "names the name where anybody can read and copy it", arguments: ["bob", "bob smith", "b.o-b_+1", "bøb", "日本"])
    func name(name: String) {
        expect("\(name)@", for: .nameAmbiguous, Self.about(name))
    }

    private func expect(_ words: String, for code: Finding.Code, _ about: EarshotError.Parameters) {
        let remedy = FindingRemedy.words(for: code, about)
        #expect(remedy?.contains(words) == true, "\(remedy ?? "none")")
    }

    private static let userID = [UInt8](repeating: 4, count: 32).withUnsafeBytes { UserID(Bytes32(exactly: $0)) }

    private static func about(_ name: String) -> EarshotError.Parameters {
        .init(name: name, candidates: [userID], suggestions: ["\(name)@\(userID.description.prefix(8))"])
    }
}
