import Earshot
import Foundation

/// The unit of systemd's user manager that runs a node.
struct UserUnit {
    /// The path of the program.
    let program: String
    let home: Home
    let isStandardHome: Bool

    /// The unit of the standard home directory, or one for each other.
    var name: String {
        guard !isStandardHome else { return "earshot.service" }
        let path = home.path.unicodeScalars.map { scalar in
            "0"..."9" ~= scalar || "A"..."Z" ~= scalar || "a"..."z" ~= scalar || scalar == "_" || scalar == "."
                ? String(scalar) : "-"
        }.joined()
        return "earshot\(path.hasPrefix("-") ? "" : "-")\(path).service"
    }

    /// Where systemd looks for a user's own units (systemd.unit(5)).
    static func folder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (configuration ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config") + "/systemd/user"
    }

    /// The hardening is what a user manager can do without namespaces of its own (systemd.exec(5)). Programs that
    /// `--on-message` runs are under it, too.
    var text: String {
        """
        # Written by: earshot service install
        [Unit]
        Description=Earshot, messages on the local network
        Documentation=man:earshot(1)

        [Service]
        Type=notify
        ExecStart=\([program, "up", "--home", home.path].map(Self.quote).joined(separator: " "))
        Restart=on-failure
        RestartSec=5s
        RestartPreventExitStatus=3 4 7 64
        TimeoutStartSec=2min
        TimeoutStopSec=30s
        WatchdogSec=1min
        UMask=0077
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictNamespaces=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        SystemCallArchitectures=native
        SystemCallFilter=@system-service

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
