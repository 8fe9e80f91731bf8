import CAvahi

extension AvahiStack {
    /// Advertises the service on one interface until the returned object is released.
    ///
    /// If the name is taken, the event `instanceNameTaken` follows later.
    func advertise(
        _ instance: String, port: UInt16, txt: [UInt8], on interface: UInt32
    ) throws(DiscoveryError) -> AvahiObject {
        let strings = try AvahiStrings.list(txt)
        defer { avahi_string_list_free(strings) }
        return try publish { _, _, state, context in
            AvahiStack.groupChanged(to: state, taken: .instanceNameTaken, context)
        } records: { group in
            core.server_add_service_strlst(
                server, group, AvahiIfIndex(interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
                instance, Advertisement.serviceType, Self.domain, nil, port, strings)
        }
    }

    /// Advertises the addresses of this host on one interface until the returned object is released.
    ///
    /// It does not advertise the reverse mapping from address to name, which belongs to the system's own stack: the
    /// library would take it for a collision of host names. If the name really is taken, the event `hostNameTaken`
    /// follows later.
    func advertise(_ addresses: Set<IPAddress>, on interface: UInt32) throws(DiscoveryError) -> AvahiObject {
        try publish { _, _, state, context in
            AvahiStack.groupChanged(to: state, taken: .hostNameTaken, context)
        } records: { group in
            for address in addresses {
                var address = AvahiAddress(address)
                let code = core.server_add_address(
                    server, group, AvahiIfIndex(interface), AvahiProtocol(AVAHI_PROTO_UNSPEC),
                    AVAHI_PUBLISH_NO_REVERSE, nil, &address)
                guard code >= 0 else { return code }
            }
            return 0
        }
    }

    private func publish(
        _ callback: @escaping AvahiSEntryGroupCallback, records add: (OpaquePointer) -> CInt
    ) throws(DiscoveryError) -> AvahiObject {
        guard let group = core.s_entry_group_new(server, callback, Unmanaged.passUnretained(inbox).toOpaque()) else {
            throw DiscoveryError(avahiError: core.server_errno(server))
        }
        let object = AvahiObject(of: self, counting: gauge, context: nil) { [core] in core.s_entry_group_free(group) }
        var code = add(group)
        if code >= 0 { code = core.s_entry_group_commit(group) }
        guard code >= 0 else { throw DiscoveryError(avahiError: code) }
        return object
    }

    /// Nothing but this instance and this host is advertised by the stack, and what asks for others can be left out.
    func advertisesOnly(_ instance: String) {
        let hostName = core.server_get_host_name(server).map { String(cString: $0) }
        multicastGuard.advertisedNames = hostName.map { AdvertisedNames(instance: instance, hostName: $0) }
    }

    /// Takes another name for this host, since the one it had is taken. Services have to be advertised anew.
    func renameHost() throws(DiscoveryError) {
        guard let name = core.server_get_host_name(server), let other = avahi_alternative_host_name(name) else {
            throw DiscoveryError(.stackFailed, "the embedded DNS-SD stack finds no free host name")
        }
        defer { cavahi_free(other) }
        let code = core.server_set_host_name(server, other)
        guard code >= 0 else { throw DiscoveryError(avahiError: code) }
    }

    private static func groupChanged(
        to state: AvahiEntryGroupState, taken: AvahiInbox.Event, _ context: UnsafeMutableRawPointer?
    ) {
        switch state {
        case AVAHI_ENTRY_GROUP_COLLISION: AvahiInbox.deliver(taken, to: context)
        case AVAHI_ENTRY_GROUP_FAILURE: AvahiInbox.deliver(.failed, to: context)
        default: break
        }
    }
}

extension AvahiAddress {
    fileprivate init(_ address: IPAddress) {
        self.init()
        proto = AvahiProtocol(address.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        withUnsafeMutableBytes(of: &data) { $0.copyBytes(from: address.bytes) }
    }
}
