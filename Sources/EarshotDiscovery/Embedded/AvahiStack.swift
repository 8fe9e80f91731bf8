import CAvahi
import EarshotModel
import Glibc

/// Avahi's multicast DNS stack in this process (libavahi-core): every pointer of it is in this type. Confined to one
/// thread.
final class AvahiStack {
    /// Cached records of one interface and family: PTR, SRV, TXT, A and AAAA of each device that is kept track of.
    static let cacheEntries = UInt32(Limits.discoveredDevices * 5)
    /// Multicast DNS only (RFC 6762 section 3).
    static let domain = "local"

    let core: CAvahiCoreFunctions
    let gauge: OperationGauge
    let inbox: AvahiInbox
    let server: OpaquePointer
    private let loop: AvahiLoop
    let multicastGuard: MulticastGuard
    private var lastSerial = 0

    /// - Parameters:
    ///   - hostName: what this host is called by the stack; one label.
    ///   - denied: interfaces that it neither listens nor speaks on.
    ///   - wakeUp: ends a turn of the loop, as `wokenUp`. It outlives the stack.
    ///   - bell: ends a turn of the loop, as `rung`.
    ///   - network: ends a turn of the loop, as `networkChanged`, until it is drained.
    /// - Throws: `stackFailed` where it cannot run: it gets no socket for multicast DNS, or the library is missing.
    init(
        hostName: String, denied: [String], allowsPointToPoint: Bool, gauge: OperationGauge, wakeUp: WakeUp,
        bell: Bell? = nil, network: NetlinkSocket? = nil
    ) throws(DiscoveryError) {
        let core = try AvahiLibrary.core()
        let inbox = AvahiInbox()
        // Unretained: everything that has the inbox as its context is freed in `deinit`, before the inbox.
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        let loop = try AvahiLoop(inbox: inbox, wakeUp: wakeUp, bell: bell, network: network)
        // Before there is a socket to read from. Unretained, like the inbox.
        let multicastGuard = MulticastGuard()
        multicastGuard.install(in: loop.poll)
        var code: CInt = 0
        let server = Self.withConfiguration(core, hostName, denied, allowsPointToPoint) { configuration in
            core.server_new(
                loop.api, configuration, { _, state, context in AvahiStack.serverChanged(to: state, context) }, context,
                &code)
        }
        guard let server else { throw DiscoveryError(avahiError: code) }
        gauge.opened()
        (self.core, self.gauge, self.inbox) = (core, gauge, inbox)
        (self.server, self.loop, self.multicastGuard) = (server, loop, multicastGuard)
    }

    /// Says goodbye for what is still advertised.
    deinit {
        core.server_free(server)
        gauge.closed()
    }

    /// Waits for something to happen, and lets the library handle it.
    /// - Parameter milliseconds: how long to wait at most; -1 for as long as it takes.
    /// - Returns: what it said meanwhile.
    func turn(milliseconds: CInt) throws(DiscoveryError) -> [AvahiInbox.Event] {
        try loop.turn(milliseconds: milliseconds)
    }

    func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }

    private static func serverChanged(to state: AvahiServerState, _ context: UnsafeMutableRawPointer?) {
        switch state {
        case AVAHI_SERVER_COLLISION: AvahiInbox.deliver(.hostNameTaken, to: context)
        case AVAHI_SERVER_FAILURE: AvahiInbox.deliver(.failed, to: context)
        default: break
        }
    }

    private static func withConfiguration<Result>(
        _ core: CAvahiCoreFunctions, _ hostName: String, _ denied: [String], _ allowsPointToPoint: Bool,
        _ body: (UnsafePointer<AvahiServerConfig>) -> Result
    ) -> Result {
        var configuration = AvahiServerConfig()
        _ = core.server_config_init(&configuration)
        defer { core.server_config_free(&configuration) }
        configuration.host_name = cavahi_copy(hostName)
        for interface in denied {
            configuration.deny_interfaces = avahi_string_list_add(configuration.deny_interfaces, interface)
        }
        configuration.allow_point_to_point = allowsPointToPoint ? 1 : 0
        configuration.n_cache_entries_max = cacheEntries
        // Only what a node needs: no word about the kind of this machine, and no queries beyond the cable.
        configuration.publish_addresses = 0  // see advertise(_:on:)
        configuration.publish_hinfo = 0
        configuration.publish_workstation = 0
        configuration.publish_domain = 0
        // Unicast DNS has guessable ports and identifiers (CVE-2024-52615, CVE-2024-52616). Reflecting repeats on one
        // interface what was said on another.
        configuration.enable_wide_area = 0
        configuration.n_wide_area_servers = 0
        configuration.enable_reflector = 0
        return body(&configuration)
    }
}

extension DiscoveryError {
    init(avahiError code: CInt) {
        // Avahi's own words for it speak of a network protocol.
        let reason =
            Int(code) == Int(AVAHI_ERR_NO_NETWORK)
            ? "it gets no socket on UDP port 5353"
            : avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        self.init(.stackFailed, "the embedded DNS-SD stack cannot run: \(reason)")
    }
}
