import CAvahi

/// Texts and lists of texts as Avahi's common library has them.
enum AvahiStrings {
    /// The rdata of a TXT record.
    static func bytes(of strings: UnsafeMutablePointer<AvahiStringList>?) -> [UInt8] {
        let count = avahi_string_list_serialize(strings, nil, 0)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = avahi_string_list_serialize(strings, buffer.baseAddress, count)
        }
    }

    /// The strings of the rdata of a TXT record. They belong to the caller.
    static func list(_ txt: [UInt8]) throws(DiscoveryError) -> UnsafeMutablePointer<AvahiStringList>? {
        var strings: UnsafeMutablePointer<AvahiStringList>?
        let code = avahi_string_list_parse(txt, txt.count, &strings)
        guard code >= 0 else { throw DiscoveryError(avahiError: code) }
        return strings
    }

    /// The name to try after this one was taken: `name #2`, and so on.
    static func alternative(to instance: String) -> String {
        guard let other = avahi_alternative_service_name(instance) else { return instance }
        defer { cavahi_free(other) }
        return String(cString: other)
    }
}
