import CDNSSD

/// The four calls that this module makes, on every interface unless one is named.
extension DNSServiceOperation {
    /// An IN record (RFC 1035 section 3.2.4).
    private static let internetClass = UInt16(kDNSServiceClass_IN)
    /// Multicast DNS only, whatever the daemon's default is (RFC 6762 section 3).
    private static let domain = "local"

    /// Advertises a service. Answers `registered` with the name it got.
    static func register(_ advertisement: Advertisement, txt: [UInt8]) throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation { ref, context in
            DNSServiceRegister(
                ref, 0, 0, advertisement.instanceName, Advertisement.serviceType, domain, nil,
                advertisement.port.bigEndian, UInt16(txt.count), txt,
                { _, _, code, name, _, _, context in
                    guard code == kDNSServiceErr_NoError, let name else {
                        return DNSServiceOperation.deliver(.failed(code), to: context)
                    }
                    DNSServiceOperation.deliver(.registered(name: String(cString: name)), to: context)
                }, context)
        }
    }

    /// Looks for instances of the service. Answers `appeared` and `disappeared`, once for each interface and family.
    static func browse() throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation { ref, context in
            DNSServiceBrowse(
                ref, 0, 0, Advertisement.serviceType, domain,
                { _, flags, interface, code, name, _, _, context in
                    guard code == kDNSServiceErr_NoError, let name else {
                        return DNSServiceOperation.deliver(.failed(code), to: context)
                    }
                    let instance = String(cString: name)
                    let event: DNSServiceEvent =
                        flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
                        ? .appeared(instance: instance, interface: interface)
                        : .disappeared(instance: instance, interface: interface)
                    DNSServiceOperation.deliver(event, to: context)
                }, context)
        }
    }

    /// Looks up an instance. Answers `resolved`, and again when its port or TXT record changes.
    static func resolve(_ instance: String, interface: UInt32) throws(DiscoveryError) -> DNSServiceOperation {
        try DNSServiceOperation { ref, context in
            DNSServiceResolve(
                ref, 0, interface, instance, Advertisement.serviceType, domain,
                { _, _, _, code, _, host, port, length, txt, context in
                    guard code == kDNSServiceErr_NoError, let host else {
                        return DNSServiceOperation.deliver(.failed(code), to: context)
                    }
                    let txt = Array(UnsafeBufferPointer(start: txt, count: txt == nil ? 0 : Int(length)))
                    let event = DNSServiceEvent.resolved(
                        host: String(cString: host), port: UInt16(bigEndian: port), txt: txt)
                    DNSServiceOperation.deliver(event, to: context)
                }, context)
        }
    }

    /// Looks for addresses of a host. Answers `addressAppeared` and `addressDisappeared`.
    static func addresses(of host: String, _ family: AddressFamily) throws(DiscoveryError) -> DNSServiceOperation {
        let type = family == .ipv4 ? kDNSServiceType_A : kDNSServiceType_AAAA
        return try DNSServiceOperation { ref, context in
            DNSServiceQueryRecord(
                ref, 0, 0, host, UInt16(type), internetClass,
                { _, flags, interface, code, _, _, _, length, data, _, context in
                    guard code == kDNSServiceErr_NoError, let data else {
                        return DNSServiceOperation.deliver(.failed(code), to: context)
                    }
                    let bytes = Array(UnsafeRawBufferPointer(start: data, count: Int(length)))
                    let event: DNSServiceEvent =
                        flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0
                        ? .addressAppeared(bytes, interface: interface)
                        : .addressDisappeared(bytes, interface: interface)
                    DNSServiceOperation.deliver(event, to: context)
                }, context)
        }
    }
}
