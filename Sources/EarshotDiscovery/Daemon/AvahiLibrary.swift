import CDNSSD
import Glibc

/// What concerns the whole process, as both ways into Avahi share its common library.
enum AvahiLibrary {
    private static let preparation: Void = {
        // For both: memory that one has allocated is never freed by other means by the other.
        cdnssd_use_zeroed_memory()
        // Else the daemon's layer prints a warning about itself.
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
    }()

    private static let loaded: CDNSSDFunctions? = {
        prepare()
        var functions = CDNSSDFunctions()
        return cdnssd_load(&functions) ? functions : nil
    }()

    /// To be called before any other call into Avahi; only the first call does something.
    static func prepare() { _ = preparation }

    /// The functions of the daemon's layer.
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
