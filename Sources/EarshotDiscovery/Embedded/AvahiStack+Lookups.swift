import CAvahi
import EarshotModel

extension AvahiStack: LookupProvider {
    func begin(_ lookup: Lookup, on interface: UInt32?) throws(DiscoveryError) -> AvahiObject {
        let context = LookupContext(lookup, serial: nextSerial(), inbox: inbox)
        // Unretained: the library calls back only while the object lives, and that keeps the context.
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        let free =
            switch lookup {
            case .instances: browse(pointer)
            case .instance(let instance): resolve(instance, on: interface, pointer)
            case .addresses(let host, let family): addresses(of: host, family, pointer)
            }
        guard let free else { throw DiscoveryError(avahiError: core.server_errno(server)) }
        return AvahiObject(of: self, counting: gauge, context: context, free: free)
    }

    /// Answers `appeared` and `disappeared`, once for each interface and family.
    private func browse(_ context: UnsafeMutableRawPointer) -> (() -> Void)? {
        let browser = core.s_service_browser_new(
            server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), Advertisement.serviceType,
            Self.domain, AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, name, _, _, _, context in
                let interface = UInt32(clamping: interface)
                let instance = name.map { String(cString: $0) }
                switch (event, instance) {
                case (AVAHI_BROWSER_NEW, let instance?):
                    LookupContext.deliver(.appeared(instance: instance, interface: interface), to: context)
                case (AVAHI_BROWSER_REMOVE, let instance?):
                    LookupContext.deliver(.disappeared(instance: instance, interface: interface), to: context)
                case (AVAHI_BROWSER_FAILURE, _): LookupContext.deliver(.failed, to: context)
                default: break
                }
            }, context)
        return browser.map { browser in { [core] in core.s_service_browser_free(browser) } }
    }

    /// Answers `resolved`, and again when the port or the TXT record changes.
    private func resolve(
        _ instance: String, on interface: UInt32?, _ context: UnsafeMutableRawPointer
    ) -> (() -> Void)? {
        let resolver = core.s_service_resolver_new(
            server, interface.map { AvahiIfIndex($0) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC),
            AvahiProtocol(AVAHI_PROTO_UNSPEC), instance, Advertisement.serviceType, Self.domain,
            AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_NO_ADDRESS,
            { _, _, _, event, _, _, _, host, _, port, strings, _, context in
                guard event == AVAHI_RESOLVER_FOUND, let host else {
                    return LookupContext.deliver(.failed, to: context)
                }
                let event = LookupEvent.resolved(
                    host: String(cString: host), port: port, txt: AvahiStrings.bytes(of: strings))
                LookupContext.deliver(event, to: context)
            }, context)
        return resolver.map { resolver in { [core] in core.s_service_resolver_free(resolver) } }
    }

    /// Answers `addressAppeared` and `addressDisappeared`, once for each interface and family it is heard in, and
    /// `exhausted` after those from the cache. A question leaves 100 ms later, unless the lookup has ended by then.
    private func addresses(
        of host: String, _ family: AddressFamily, _ context: UnsafeMutableRawPointer
    ) -> (() -> Void)? {
        let type = family == .ipv4 ? AVAHI_DNS_TYPE_A : AVAHI_DNS_TYPE_AAAA
        guard let key = core.key_new(host, UInt16(AVAHI_DNS_CLASS_IN), UInt16(type)) else { return nil }
        defer { core.key_unref(key) }
        let browser = core.s_record_browser_new(
            server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, record, _, context in
                let interface = UInt32(clamping: interface)
                let address = record.map { AvahiStack.address(in: $0) }
                switch (event, address) {
                case (AVAHI_BROWSER_NEW, let bytes?):
                    LookupContext.deliver(.addressAppeared(bytes, interface: interface), to: context)
                case (AVAHI_BROWSER_REMOVE, let bytes?):
                    LookupContext.deliver(.addressDisappeared(bytes, interface: interface), to: context)
                case (AVAHI_BROWSER_CACHE_EXHAUSTED, _): LookupContext.deliver(.exhausted, to: context)
                case (AVAHI_BROWSER_FAILURE, _): LookupContext.deliver(.failed, to: context)
                default: break
                }
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
