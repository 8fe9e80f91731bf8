import EarshotModel

/// Decides when a primary device renews the credentials of the linked devices that have a link to it.
///
/// It asks for a credential when half of the old one's time is over, so that a device that is rarely met has the other
/// half to meet a primary device again. It holds no key: it says what is to be signed, and is told what was.
struct Renewals: Sendable {
    private enum State: Hashable {
        /// The credential that it has was looked at. If it could not be renewed, this is not tried again before then.
        case idle(notBefore: Int64)
        /// The identity's key is being asked.
        case asked
    }

    private struct Renewal: Hashable {
        /// What the device has, as far as this node knows.
        var request: CredentialRequest
        var state = State.idle(notBefore: .min)
    }

    private var renewals: [ConnectionID: Renewal] = [:]

    var count: Int { renewals.count }

    /// A link to a linked device of this node's user.
    mutating func linked(_ credential: Credential, on connectionID: ConnectionID) {
        renewals[connectionID] = Renewal(request: CredentialRequest(credential))
    }

    mutating func unlinked(_ connectionID: ConnectionID) { renewals[connectionID] = nil }

    /// - Returns: what is to be signed now.
    mutating func due(now: Moment) -> [CredentialRequest] {
        var due: [CredentialRequest] = []
        for (connectionID, renewal) in renewals.sorted(by: { $0.key < $1.key }) {
            guard case .idle(let notBefore) = renewal.state, now.uptime >= notBefore,
                renewal.request.isDue(at: now.wallClock)
            else { continue }
            renewals[connectionID]?.state = .asked
            due.append(renewal.request.renewed(at: now.wallClock))
        }
        return due
    }

    /// The identity's key has signed a request, or could not.
    /// - Returns: the links on which the grant goes out.
    mutating func issued(_ request: CredentialRequest, isSigned: Bool, now: Int64) -> [ConnectionID] {
        var links: [ConnectionID] = []
        for (connectionID, renewal) in renewals
        where renewal.state == .asked && renewal.request.deviceID == request.deviceID {
            renewals[connectionID]?.state = .idle(notBefore: isSigned ? .min : now + Timing.credentialCheck)
            guard isSigned else { continue }
            renewals[connectionID]?.request = request
            links.append(connectionID)
        }
        return links.sorted()
    }

    /// The uptime at which something may be due. The wall clock may be set without a word, so it is looked at once an hour
    /// at least.
    func deadline(now: Moment) -> Int64 {
        renewals.values.map { renewal in
            guard case .idle(let notBefore) = renewal.state else { return .max }
            let wait = min(max(0, renewal.request.renewal - now.wallClock), Timing.credentialCheck)
            return max(notBefore, now.uptime + wait)
        }.min() ?? .max
    }
}

extension CredentialRequest {
    fileprivate init(_ credential: Credential) {
        self.init(
            name: credential.name, deviceID: credential.deviceID, agreementKey: credential.agreementKey,
            isPrimary: credential.isPrimary, notBefore: credential.notBefore, notAfter: credential.notAfter)
    }

    /// How long it was valid when it was issued: it began a while before that.
    private var lifetime: Int64 { max(Timing.shortestCredential, notAfter - notBefore - Timing.credentialBackdating) }

    /// When half of its time is over.
    fileprivate var renewal: Int64 { notAfter - lifetime / 2 }

    fileprivate func isDue(at wallClock: Int64) -> Bool { wallClock >= renewal || wallClock < notBefore }

    /// The same from now on, for as long as before.
    fileprivate func renewed(at wallClock: Int64) -> CredentialRequest {
        let begin = max(0, wallClock - Timing.credentialBackdating)
        return CredentialRequest(
            name: name, deviceID: deviceID, agreementKey: agreementKey, isPrimary: isPrimary, notBefore: begin,
            notAfter: wallClock + lifetime)
    }
}
