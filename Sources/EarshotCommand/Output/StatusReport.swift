import EarshotGateway

/// A node's status for people: one label and value a line.
struct StatusReport {
    let record: Status.Record
    let names: NameBook
    let style: Style

    private static let labelWidth = 13

    private var status: GatewayStatus { record.status }

    var lines: [String] {
        rows.flatMap { label, values in
            values.enumerated().map { number, value in
                let label = DisplayWidth.pad(number == 0 ? label : "", to: Self.labelWidth)
                return style.dim(label) + SafeText.line(value)
            }
        }
    }

    private var rows: [(label: String, values: [String])] {
        [
            ("name", [status.name]), ("fingerprint", [status.fingerprint]), ("home", [record.home]), ("node", [node]),
            ("version", [status.version]),
            ("addresses", status.addresses.isEmpty ? ["none"] : status.addresses), ("discovery", [discovery]),
            ("links", status.links.isEmpty ? ["none"] : status.links.map(text)),
            ("users", ["\(status.knownUsers) known"]),
            ("unread", [record.unread.text(names)]),
            ("undelivered", undelivered), ("network", [network]),
            ("credential", [credential]),
        ] + revoked + copies
    }

    private var revoked: [(label: String, values: [String])] {
        guard status.isRevoked == true else { return [] }
        let what = "this device was revoked: nobody links to it, and it sends nothing any more"
        return [("device", [what, Remedy.revoked])]
    }

    private var copies: [(label: String, values: [String])] {
        guard let copies = status.copies else { return [] }
        return [("copy", ["another node has this device's keys, at \(copies.joined(separator: ", "))", Remedy.copied])]
    }

    private var network: String {
        let key = status.networkTag.map { "with a key, tag \($0)" } ?? "without a key"
        guard status.otherNetworks > 0 else { return key }
        return "\(key); \(status.otherNetworks) \(status.otherNetworks == 1 ? "node" : "nodes") of other networks here"
    }

    private var credential: String {
        let end = LocalTime.full(status.credentialExpiryMilliseconds)
        return status.credentialExpiryMilliseconds > LocalTime.now
            ? "valid until \(end)" : "expired \(end): see earshot doctor"
    }

    private var node: String {
        guard let pid = record.pid else { return "does not run (start it with: earshot up)" }
        return "runs, pid \(pid)\(status.port.map { ", port \($0)" } ?? "")"
    }

    private var discovery: String {
        guard record.pid != nil else { return "none while no node runs" }
        return switch status.discovery.stack {
        case "daemon": "with the Avahi daemon"
        case "embedded": "with the embedded stack: no Avahi daemon answers"
        case "off": "off"
        case "starting": "starting"
        case "none": "does not work: \(status.discovery.detail ?? "no reason was given")"
        default: "with \(status.discovery.detail ?? status.discovery.stack)"
        }
    }

    private func text(_ link: GatewayLink) -> String {
        let direction = link.isOutbound ? "to" : "from"
        return "\(names.shown(link.user)), \(direction) \(link.address ?? "unknown address"), since "
            + LocalTime.full(link.establishedAtMilliseconds)
            + (link.clockOffsetMilliseconds.map { ", clock \(Self.seconds($0))" } ?? "")
    }

    /// Like `+0.2 s`: how far the peer's clock is ahead.
    private static func seconds(_ milliseconds: Int64) -> String {
        let tenths = (milliseconds.magnitude + 50) / 100
        return "\(milliseconds < 0 && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10) s"
    }

    private var undelivered: [String] {
        guard !status.undelivered.isEmpty else { return ["none"] }
        return status.undelivered.map { waiting in
            "\(waiting.count) \(waiting.count == 1 ? "message waits" : "messages wait") for "
                + names.shown(waiting.user)
        }
    }
}
