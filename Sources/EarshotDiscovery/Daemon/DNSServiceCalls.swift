import CDNSSD

/// The four calls that this module makes, on every interface unless one is named.
struct DNSServiceCalls: LookupProvider {
    /// An IN record (RFC 1035 section 3.2.4).
    private static let internetClass = UInt16(kDNSServiceClass_IN)
    /// Multicast DNS only, whatever the daemon's default is (RFC 6762 section 3).
    private static let domain = "local"

    let gauge: OperationGauge

    func begin(_ lookup: Lookup, on interface: UInt32?) throws(DiscoveryError) -> DNSServiceOperation {
        switch lookup {
        case .instances: try browse()
        case .instance(let instance): try resolve(instance, interface: interface ?? 0)
        case .addresses(let host, let family): try addresses(of: host, family)
        }
    }

    /// Advertises a service. Answers `registered` with the name it got.
    func register(_ advertisement: Advertisement, txt: [UInt8]) throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation(counting: gauge) { functions, ref, context in
            functions.Register(
                ref, 0, 0, advertisement.instanceName, Advertisement.serviceType, Self.domain, nil,
                advertisement.port.bigEndian, UInt16(txt.count), txt,
                { _, _, code, name, _, _, context in
                    guard code == kDNSServiceErr_NoError, let name else {
                        return DNSServiceOperation.fail(code, to: context)
                    }
                    DNSServiceOperation.deliver(.registered(name: String(cString: name)), to: context)
                }, context)
        }
    }

    /// Looks for instances of the service. Answers `appeared` and `disappeared`, once for each interface and family.
    private func browse() throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation(counting: gauge) { functions, ref, context in
            functions.Browse(
                ref, 0, 0, Advertisement.serviceType, Self.domain,
                { _, flags, interface, code, name, _, _, context in
                    guard code == kDNSServiceErr_NoError, let name else {
                        return DNSServiceOperation.fail(code, to: context)
                    }
                    let instance = String(cString: name)
                    let event: LookupEvent =
                        flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
                        ? .appeared(instance: instance, interface: interface)
                        : .disappeared(instance: instance, interface: interface)
                    DNSServiceOperation.deliver(.lookup(event), to: context)
                }, context)
        }
    }

    /// Looks up an instance. Answers `resolved`, and again when its port or TXT record changes.
    private func resolve(_ instance: String, interface: UInt32) throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation(counting: gauge) { functions, ref, context in
            functions.Resolve(
                ref, 0, interface, instance, Advertisement.serviceType, Self.domain,
                { _, _, _, code, _, host, port, length, txt, context in
                    guard code == kDNSServiceErr_NoError, let host else {
                        return DNSServiceOperation.fail(code, to: context)
                    }
                    let txt = Array(UnsafeBufferPointer(start: txt, count: txt == nil ? 0 : Int(length)))
                    let event = LookupEvent.resolved(
                        host: String(cString: host), port: UInt16(bigEndian: port), txt: txt)
                    DNSServiceOperation.deliver(.lookup(event), to: context)
                }, context)
        }
    }

    /// Looks for addresses of a host. Answers `addressAppeared` and `addressDisappeared`.
    private func addresses(of host: String, _ family: AddressFamily) throws(DiscoveryError) -> DNSServiceOperation {
        let type = family == .ipv4 ? kDNSServiceType_A : kDNSServiceType_AAAA
        return try DNSServiceOperation(counting: gauge) { functions, ref, context in
            functions.QueryRecord(
                ref, 0, 0, host, UInt16(type), Self.internetClass,
                { _, flags, interface, code, _, _, _, length, data, _, context in
                    guard code == kDNSServiceErr_NoError, let data else {
                        return DNSServiceOperation.fail(code, to: context)
                    }
                    let bytes = Array(UnsafeRawBufferPointer(start: data, count: Int(length)))
                    let event: LookupEvent =
                        flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
                        ? .addressAppeared(bytes, interface: interface)
                        : .addressDisappeared(bytes, interface: interface)
                    DNSServiceOperation.deliver(.lookup(event), to: context)
                }, context)
        }
    }
}
