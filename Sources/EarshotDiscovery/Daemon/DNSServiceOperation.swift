import CDNSSD
import Glibc

/// What the DNS-SD layer answers to one operation.
enum DNSServiceEvent {
    case registered(name: String)
    case appeared(instance: String, interface: UInt32)
    case disappeared(instance: String, interface: UInt32)
    case resolved(host: String, port: UInt16, txt: [UInt8])
    case addressAppeared([UInt8], interface: UInt32)
    case addressDisappeared([UInt8], interface: UInt32)
    case failed(DNSServiceErrorType)
}

/// Owns one `DNSServiceRef`: begins with the call and frees it at the end. Confined to one thread.
final class DNSServiceOperation {
    /// Avahi's "no such daemon", "daemon gone" and "timed out" in one.
    static let unknownError = DNSServiceErrorType(kDNSServiceErr_Unknown)
    /// Here: the D-Bus daemon's limit of connections for one user is reached.
    static let refusedError = DNSServiceErrorType(kDNSServiceErr_Refused)

    /// Done once, before the first call into Avahi's layer.
    private static let preparation: Void = {
        cdnssd_use_zeroed_memory()
        // Else it prints a warning about itself.
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
    }()

    private var ref: DNSServiceRef?
    private var events: [DNSServiceEvent] = []

    /// - Parameter call: one of the `DNSService…` functions, which is given the place for its reference, and the
    ///   context that its callback hands to `deliver`.
    /// - Throws: what the call returned, as `daemonUnavailable`, `connectionRefused` or `serviceFailed`.
    init(
        _ call: (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType
    ) throws(DiscoveryError) {
        _ = Self.preparation
        // Unretained: the layer calls back only while the reference lives, and that ends in `deinit`.
        let code = call(&ref, Unmanaged.passUnretained(self).toOpaque())
        if let error = DiscoveryError(dnsServiceError: code) { throw error }
    }

    deinit {
        if let ref { DNSServiceRefDeallocate(ref) }
    }

    /// Readable when `process()` has something to do.
    var fileDescriptor: CInt { DNSServiceRefSockFD(ref) }

    /// Blocks unless `fileDescriptor` is readable.
    func process() -> [DNSServiceEvent] {
        let code = DNSServiceProcessResult(ref)
        if code != kDNSServiceErr_NoError { events.append(.failed(code)) }
        defer { events = [] }
        return events
    }

    /// Called by a callback, inside `process()` or the initial call.
    static func deliver(_ event: DNSServiceEvent, to context: UnsafeMutableRawPointer?) {
        guard let context else { preconditionFailure("every operation is begun with a context") }
        Unmanaged<DNSServiceOperation>.fromOpaque(context).takeUnretainedValue().events.append(event)
    }
}

extension DiscoveryError {
    /// - Returns: `nil` for "no error".
    init?(dnsServiceError code: DNSServiceErrorType) {
        switch code {
        case DNSServiceErrorType(kDNSServiceErr_NoError): return nil
        case DNSServiceOperation.unknownError: self.init(.daemonUnavailable, "no DNS-SD daemon answers")
        case DNSServiceOperation.refusedError:
            self.init(.connectionRefused, "the DNS-SD daemon takes no further connection of this user")
        default: self.init(.serviceFailed, "the DNS-SD daemon refused the request (error \(code))")
        }
    }
}
