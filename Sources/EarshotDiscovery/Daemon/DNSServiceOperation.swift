import CDNSSD
import Glibc

/// What the DNS-SD layer answers to one operation.
enum DNSServiceEvent {
    case registered(name: String)
    case lookup(LookupEvent)
    case failed(DiscoveryError)
}

/// Owns one `DNSServiceRef`: begins with the call and frees it at the end. Confined to one thread.
final class DNSServiceOperation {
    /// Avahi's "no such daemon", "daemon gone" and "timed out" in one.
    static let unknownError = DNSServiceErrorType(kDNSServiceErr_Unknown)
    /// Here: the D-Bus daemon's limit of connections for one user is reached.
    static let refusedError = DNSServiceErrorType(kDNSServiceErr_Refused)

    private let functions: CDNSSDFunctions
    private let gauge: OperationGauge
    private var ref: DNSServiceRef?
    private var events: [DNSServiceEvent] = []

    /// - Parameters:
    ///   - gauge: counts this operation as long as it is open.
    ///   - call: one of the `DNSService…` functions, which is given the place for its reference, and the context that
    ///     its callback hands to `deliver`.
    /// - Throws: what the call returned, as `daemonUnavailable`, `connectionRefused` or `serviceFailed`.
    init(
        counting gauge: OperationGauge,
        _ call: (CDNSSDFunctions, UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType
    ) throws(DiscoveryError) {
        functions = try AvahiLibrary.functions()
        self.gauge = gauge
        // Unretained: the layer calls back only while the reference lives, and that ends in `deinit`.
        let code = call(functions, &ref, Unmanaged.passUnretained(self).toOpaque())
        gauge.opened()
        if let error = DiscoveryError(dnsServiceError: code) { throw error }
    }

    deinit {
        if let ref { functions.RefDeallocate(ref) }
        gauge.closed()
    }

    /// Readable when `process()` has something to do.
    var fileDescriptor: CInt { functions.RefSockFD(ref) }

    /// Blocks unless `fileDescriptor` is readable.
    func process() -> [DNSServiceEvent] {
        let code = functions.ProcessResult(ref)
        if let error = DiscoveryError(dnsServiceError: code) { events.append(.failed(error)) }
        defer { events = [] }
        return events
    }

    /// Called by a callback when its operation failed.
    static func fail(_ code: DNSServiceErrorType, to context: UnsafeMutableRawPointer?) {
        let error = DiscoveryError(dnsServiceError: code)
        deliver(.failed(error ?? DiscoveryError(.serviceFailed, "the DNS-SD daemon gave an empty answer")), to: context)
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
