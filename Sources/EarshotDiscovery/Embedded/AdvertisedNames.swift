/// The names of all records that this program advertises by the embedded stack, as they stand in a message.
struct AdvertisedNames: Equatable {
    /// What is asked for to find all instances (RFC 6763 section 4.1).
    let service: [UInt8]
    let instance: [UInt8]
    /// Those of the instance, the host, and the list of all types of services (RFC 6763 section 9).
    let others: [[UInt8]]

    /// - Parameters:
    ///   - instance: one label, which may have dots in it.
    ///   - hostName: one label.
    init(instance: String, hostName: String) {
        let domain = Self.label(AvahiStack.domain) + [0]
        service = Self.labels(Advertisement.serviceType) + domain
        self.instance = Self.label(instance) + service
        others = [self.instance, Self.label(hostName) + domain, Self.labels("_services._dns-sd._udp") + domain]
    }

    private static func labels(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { label(String($0)) }
    }

    private static func label(_ text: String) -> [UInt8] { [UInt8(clamping: text.utf8.count)] + text.utf8 }
}
