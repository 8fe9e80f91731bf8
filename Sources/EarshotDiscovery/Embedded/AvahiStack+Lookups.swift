import CAvahi
import EarshotModel

extension AvahiStack: AvahiLookups {
    var error: DiscoveryError { DiscoveryError(avahiError: core.server_errno(server)) }

    func browse(_ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let browser = core.s_service_browser_new(
            server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), Advertisement.serviceType,
            Self.domain, AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, name, _, _, _, context in
                LookupContext.browsed(event, name, on: interface, to: context)
            }, context)
        return browser.map { browser in { [core] in core.s_service_browser_free(browser) } }
    }

    func resolve(_ instance: String, on interface: UInt32?, _ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let resolver = core.s_service_resolver_new(
            server, interface.map { AvahiIfIndex($0) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC),
            AvahiProtocol(AVAHI_PROTO_UNSPEC), instance, Advertisement.serviceType, Self.domain,
            AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_NO_ADDRESS,
            { _, _, _, event, _, _, _, host, _, port, strings, _, context in
                LookupContext.resolved(event, host, port, strings, to: context)
            }, context)
        return resolver.map { resolver in { [core] in core.s_service_resolver_free(resolver) } }
    }

    /// A question leaves 100 ms later, unless the lookup has ended by then.
    func addresses(of host: String, _ family: AddressFamily, _ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let type = family == .ipv4 ? AVAHI_DNS_TYPE_A : AVAHI_DNS_TYPE_AAAA
        guard let key = core.key_new(host, UInt16(AVAHI_DNS_CLASS_IN), UInt16(type)) else { return nil }
        defer { core.key_unref(key) }
        let browser = core.s_record_browser_new(
            server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, record, _, context in
                LookupContext.heard(event, record.map { AvahiStack.address(in: $0) }, on: interface, to: context)
            }, context)
        return browser.map { browser in { [core] in core.s_record_browser_free(browser) } }
    }

    /// - Returns: nothing for a record of another type, which nobody asked for.
    private static func address(in record: UnsafeMutablePointer<AvahiRecord>) -> [UInt8] {
        switch CInt(record.pointee.key.pointee.type) {
        case CInt(AVAHI_DNS_TYPE_A): withUnsafeBytes(of: record.pointee.data.a.address) { Array($0) }
        case CInt(AVAHI_DNS_TYPE_AAAA): withUnsafeBytes(of: record.pointee.data.aaaa.address) { Array($0) }
        default: []
        }
    }
}
