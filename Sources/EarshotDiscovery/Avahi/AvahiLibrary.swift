import CAvahi

/// The libraries of Avahi, each loaded when it is first asked for.
enum AvahiLibrary {
    private static let loadedClient: CAvahiClientFunctions? = {
        var functions = CAvahiClientFunctions()
        return cavahi_load_client(&functions) ? functions : nil
    }()

    private static let loadedCore: CAvahiCoreFunctions? = {
        var functions = CAvahiCoreFunctions()
        return cavahi_load_core(&functions) ? functions : nil
    }()

    /// The functions of the stack in this process.
    /// - Throws: `stackFailed` where it is not installed.
    static func core() throws(DiscoveryError) -> CAvahiCoreFunctions {
        guard let loadedCore else {
            throw DiscoveryError(
                .stackFailed, "Avahi's embeddable stack (libavahi-core.so.7) is missing: install libavahi-core7")
        }
        return loadedCore
    }

    /// The functions of the daemon's client.
    /// - Throws: `daemonUnavailable` where it is not installed.
    static func client() throws(DiscoveryError) -> CAvahiClientFunctions {
        guard let loadedClient else {
            throw DiscoveryError(
                .daemonUnavailable, "Avahi's client (libavahi-client.so.3) is missing: install libavahi-client3")
        }
        return loadedClient
    }
}
