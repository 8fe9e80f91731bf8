import CAvahiCore
import CDNSSD
import Glibc

/// Settings of the whole process: both ways into Avahi share its common library.
enum AvahiLibrary {
    private static let preparation: Void = {
        // For both: memory that one has allocated is never freed by other means by the other.
        cdnssd_use_zeroed_memory()
        // Else the daemon's layer prints a warning about itself.
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
    }()

    private static let loaded: CDNSSDFunctions? = {
        _ = preparation
        var functions = CDNSSDFunctions()
        return cdnssd_load(&functions) ? functions : nil
    }()

    private static let loadedCore: CAvahiCoreFunctions? = {
        _ = preparation
        var functions = CAvahiCoreFunctions()
        return cavahi_load(&functions) ? functions : nil
    }()

    /// The functions of the stack in this process. To be asked for before any other call into Avahi.
    /// - Throws: `stackFailed` where it is not installed.
    static func core() throws(DiscoveryError) -> CAvahiCoreFunctions {
        guard let loadedCore else {
            throw DiscoveryError(
                .stackFailed, "Avahi's embeddable stack (libavahi-core.so.7) is missing: install libavahi-core7")
        }
        return loadedCore
    }

    /// The functions of the daemon's layer. To be asked for before any other call into Avahi.
    /// - Throws: `daemonUnavailable` where it is not installed.
    static func functions() throws(DiscoveryError) -> CDNSSDFunctions {
        guard let loaded else {
            throw DiscoveryError(
                .daemonUnavailable,
                "Avahi's DNS-SD layer (libdns_sd.so.1) is missing: install libavahi-compat-libdnssd1")
        }
        return loaded
    }
}
