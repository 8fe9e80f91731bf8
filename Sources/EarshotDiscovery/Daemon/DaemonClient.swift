import CAvahi
import EarshotModel

/// A client of the system's Avahi daemon, with one connection for everything: every pointer of libavahi-client is in this
/// type. Confined to one thread.
final class DaemonClient: AvahiLookups {
    private let functions: CAvahiClientFunctions
    let gauge: OperationGauge
    let inbox: AvahiInbox
    private let loop: AvahiLoop
    private let client: OpaquePointer
    private var lastSerial = 0

    /// - Parameters:
    ///   - wakeUp: ends a turn of the loop, as `wokenUp`.
    ///   - bell: ends a turn of the loop, as `rung`.
    /// - Throws: `daemonUnavailable` where no daemon answers.
    init(gauge: OperationGauge, wakeUp: WakeUp, bell: Bell? = nil) throws(DiscoveryError) {
        let functions = try AvahiLibrary.client()
        let inbox = AvahiInbox()
        let loop = try AvahiLoop(inbox: inbox, wakeUp: wakeUp, bell: bell)
        var code: CInt = 0
        // Unretained: the client is freed in `deinit`, before the inbox.
        let client = functions.client_new(
            loop.api, AVAHI_CLIENT_IGNORE_USER_CONFIG,
            { _, state, context in DaemonClient.changed(to: state, context) },
            Unmanaged.passUnretained(inbox).toOpaque(), &code)
        guard let client else { throw DiscoveryError(daemonError: code) }
        (self.functions, self.gauge, self.inbox, self.loop) = (functions, gauge, inbox, loop)
        self.client = client
        gauge.opened()
    }

    deinit {
        functions.client_free(client)
        gauge.closed()
    }

    /// Waits for something to happen, and lets the library handle it.
    /// - Parameter milliseconds: how long to wait at most; -1 for as long as it takes.
    /// - Returns: what it said meanwhile.
    func turn(milliseconds: CInt) throws(DiscoveryError) -> [AvahiInbox.Event] {
        try loop.turn(milliseconds: milliseconds)
    }

    private static func changed(to state: AvahiClientState, _ context: UnsafeMutableRawPointer?) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING: AvahiInbox.deliver(.daemonRunning, to: context)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: AvahiInbox.deliver(.daemonNotRunning, to: context)
        case AVAHI_CLIENT_FAILURE: AvahiInbox.deliver(.failed, to: context)
        default: break
        }
    }

    // MARK: Advertising

    /// Advertises a service on every interface until the returned object is released. `registered` follows, or
    /// `instanceNameTaken`.
    func advertise(_ instance: String, port: UInt16, txt: [UInt8]) throws(DiscoveryError) -> AvahiObject {
        let strings = try AvahiStrings.list(txt)
        defer { avahi_string_list_free(strings) }
        let group = functions.entry_group_new(
            client,
            { _, state, context in
                switch state {
                case AVAHI_ENTRY_GROUP_ESTABLISHED: AvahiInbox.deliver(.registered, to: context)
                case AVAHI_ENTRY_GROUP_COLLISION: AvahiInbox.deliver(.instanceNameTaken, to: context)
                case AVAHI_ENTRY_GROUP_FAILURE: AvahiInbox.deliver(.failed, to: context)
                default: break
                }
            }, Unmanaged.passUnretained(inbox).toOpaque())
        guard let group else { throw error }
        let object = AvahiObject(of: self, counting: gauge, context: nil) { [functions] in
            _ = functions.entry_group_free(group)
        }
        var code = functions.entry_group_add_service_strlst(
            group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), instance,
            Advertisement.serviceType, AvahiStack.domain, nil, port, strings)
        if code >= 0 { code = functions.entry_group_commit(group) }
        // Another service of this host has the name.
        if code == CInt(AVAHI_ERR_COLLISION) {
            inbox.events.append(.instanceNameTaken)
        } else if code < 0 {
            throw DiscoveryError(daemonError: code)
        }
        return object
    }

    // MARK: Lookups

    func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }

    var error: DiscoveryError { DiscoveryError(daemonError: functions.client_errno(client)) }

    func browse(_ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let browser = functions.service_browser_new(
            client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), Advertisement.serviceType,
            AvahiStack.domain, AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, name, _, _, _, context in
                LookupContext.browsed(event, name, on: interface, to: context)
            }, context)
        return browser.map { browser in { [functions] in _ = functions.service_browser_free(browser) } }
    }

    func resolve(_ instance: String, on interface: UInt32?, _ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let resolver = functions.service_resolver_new(
            client, interface.map { AvahiIfIndex($0) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC),
            AvahiProtocol(AVAHI_PROTO_UNSPEC), instance, Advertisement.serviceType, AvahiStack.domain,
            AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_NO_ADDRESS,
            { _, _, _, event, _, _, _, host, _, port, strings, _, context in
                LookupContext.resolved(event, host, port, strings, to: context)
            }, context)
        return resolver.map { resolver in { [functions] in _ = functions.service_resolver_free(resolver) } }
    }

    func addresses(of host: String, _ family: AddressFamily, _ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let type = family == .ipv4 ? AVAHI_DNS_TYPE_A : AVAHI_DNS_TYPE_AAAA
        let browser = functions.record_browser_new(
            client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), host,
            UInt16(AVAHI_DNS_CLASS_IN), UInt16(type), AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, _, _, _, data, count, _, context in
                let address = data.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
                LookupContext.heard(event, address, on: interface, to: context)
            }, context)
        return browser.map { browser in { [functions] in _ = functions.record_browser_free(browser) } }
    }
}

extension DiscoveryError {
    fileprivate init(daemonError code: CInt) {
        switch code {
        case CInt(AVAHI_ERR_NO_DAEMON), CInt(AVAHI_ERR_DISCONNECTED), CInt(AVAHI_ERR_DBUS_ERROR):
            self.init(.daemonUnavailable, "no DNS-SD daemon answers")
        case CInt(AVAHI_ERR_TOO_MANY_CLIENTS), CInt(AVAHI_ERR_TOO_MANY_OBJECTS):
            self.init(.connectionRefused, "the DNS-SD daemon takes no further request of this process")
        default:
            let reason = avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)"
            self.init(.serviceFailed, "the DNS-SD daemon refused the request: \(reason)")
        }
    }
}
