import CAvahi

/// Looks up with Avahi, by the client of the daemon or the stack in this process.
protocol AvahiLookups: AnyObject, LookupProvider where Operation == AvahiObject {
    var gauge: OperationGauge { get }
    var inbox: AvahiInbox { get }
    /// Why the library has refused the last call.
    var error: DiscoveryError { get }

    func nextSerial() -> Int

    /// Answers `appeared` and `disappeared`, once for each interface and family.
    /// - Returns: what ends the lookup; `nil` if it cannot be begun. The same holds below.
    func browse(_ context: UnsafeMutableRawPointer) -> (() -> Void)?

    /// Answers `resolved`, and again when the port or the TXT record changes.
    func resolve(_ instance: String, on interface: UInt32?, _ context: UnsafeMutableRawPointer) -> (() -> Void)?

    /// Answers `addressAppeared` and `addressDisappeared`, once for each interface and family it is heard in, and
    /// `exhausted` after those that were known before.
    func addresses(of host: String, _ family: AddressFamily, _ context: UnsafeMutableRawPointer) -> (() -> Void)?
}

extension AvahiLookups {
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
        guard let free else { throw error }
        return AvahiObject(of: self, counting: gauge, context: context, free: free)
    }
}

/// What callbacks say. Those of the client and of the stack differ in parameters that nothing is made of.
extension LookupContext {
    static func browsed(
        _ event: AvahiBrowserEvent, _ name: UnsafePointer<CChar>?, on interface: AvahiIfIndex,
        to context: UnsafeMutableRawPointer?
    ) {
        let interface = UInt32(clamping: interface)
        let instance = name.map { String(cString: $0) }
        switch (event, instance) {
        case (AVAHI_BROWSER_NEW, let instance?):
            deliver(.appeared(instance: instance, interface: interface), to: context)
        case (AVAHI_BROWSER_REMOVE, let instance?):
            deliver(.disappeared(instance: instance, interface: interface), to: context)
        case (AVAHI_BROWSER_FAILURE, _): deliver(.failed, to: context)
        default: break
        }
    }

    static func resolved(
        _ event: AvahiResolverEvent, _ host: UnsafePointer<CChar>?, _ port: UInt16,
        _ strings: UnsafeMutablePointer<AvahiStringList>?, to context: UnsafeMutableRawPointer?
    ) {
        guard event == AVAHI_RESOLVER_FOUND, let host else { return deliver(.failed, to: context) }
        deliver(
            .resolved(host: String(cString: host), port: port, txt: AvahiStrings.bytes(of: strings)), to: context)
    }

    /// - Parameter address: its bytes; `nil` where there is no record.
    static func heard(
        _ event: AvahiBrowserEvent, _ address: [UInt8]?, on interface: AvahiIfIndex,
        to context: UnsafeMutableRawPointer?
    ) {
        let interface = UInt32(clamping: interface)
        switch (event, address) {
        case (AVAHI_BROWSER_NEW, let bytes?): deliver(.addressAppeared(bytes, interface: interface), to: context)
        case (AVAHI_BROWSER_REMOVE, let bytes?):
            deliver(.addressDisappeared(bytes, interface: interface), to: context)
        case (AVAHI_BROWSER_CACHE_EXHAUSTED, _): deliver(.exhausted, to: context)
        case (AVAHI_BROWSER_FAILURE, _): deliver(.failed, to: context)
        default: break
        }
    }
}
