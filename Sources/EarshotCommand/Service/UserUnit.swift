import Earshot
import Foundation

/// The unit of systemd's user manager that runs a node.
struct UserUnit {
    /// The path of the program.
    let program: String
    let home: Home
    let isStandardHome: Bool

    /// The unit of the standard home directory, or one for each other, named after its path (systemd-escape(1)).
    var name: String {
        guard !isStandardHome else { return "earshot.service" }
        let path = home.path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "/"): "-"
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "."):
                String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
        return "earshot\(path).service"
    }

    /// Where systemd looks for a user's own units (systemd.unit(5)).
    static func folder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (configuration ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config") + "/systemd/user"
    }

    /// The hardening is that of the system unit, `packaging/systemd/earshot@.service`, but for what takes rights that a
    /// user manager has not (systemd.exec(5), SANDBOXING). Programs that `--on-message` runs are under it, too.
    var text: String {
        """
        # Written by: earshot service install
        [Unit]
        Description=Earshot, messages on the local network
        Documentation=man:earshot-up(1) man:earshot-config(5)
        StartLimitIntervalSec=5min
        StartLimitBurst=10

        [Service]
        Type=notify
        ExecStart=\([program, "up", "--home", home.path].map(Self.quote).joined(separator: " "))
        Restart=on-failure
        RestartSec=5s
        RestartPreventExitStatus=3 4 7 64
        TimeoutStartSec=2min
        TimeoutStopSec=30s
        WatchdogSec=1min
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallErrorNumber=EPERM
        UMask=0077

        [Install]
        WantedBy=default.target

        """
    }

    /// One word of a command line (systemd.service(5), COMMAND LINES): `%` and `$` stand for themselves.
    static func quote(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "-_./@+,:=".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        let replacements = [("\\", "\\\\"), ("\"", "\\\""), ("%", "%%"), ("$", "$$"), ("\n", "\\n")]
        return "\"\(replacements.reduce(word) { $0.replacingOccurrences(of: $1.0, with: $1.1) })\""
    }
}
