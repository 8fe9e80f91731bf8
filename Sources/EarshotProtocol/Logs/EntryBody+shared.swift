import EarshotCrypto
import EarshotModel

extension TrustDecision {
    /// `nil` for a number that this version does not know.
    fileprivate init?(number: UInt32) {
        guard let verdict = TrustDecision.allCases.first(where: { $0.number == number }) else { return nil }
        self = verdict
    }

    var number: UInt32 {
        switch self {
        case .accept: 1
        case .verify: 2
        case .block: 3
        case .unblock: 4
        }
    }
}

extension Decision {
    /// - Returns: `nil` for a verdict that this version does not know.
    /// - Throws: `ProtocolError` `malformed`; `violation` for a name that is none.
    static func decode(_ wire: Wire.Decision) throws(ProtocolError) -> Decision? {
        guard let userID = UserID(bytes: wire.userID), wire.counter > 0 else {
            throw ProtocolError(.malformed, "a decision is about nobody, or not numbered")
        }
        let name: UserName
        do { name = try UserName(wire.name) } catch {
            throw ProtocolError(.violation, "the name in a decision is not valid: \(error)")
        }
        guard let verdict = TrustDecision(number: wire.verdict) else { return nil }
        return Decision(
            verdict, about: userID, name: name, counter: try Wire.number(wire.counter, as: "the counter of a decision"),
            proof: try Signature.decode(wire.proof))
    }

    var wire: Wire.Decision {
        Wire.Decision(
            userID: Wire.bytes(userID), name: name.text, verdict: verdict.number, counter: counter,
            proof: proof?.bytes ?? [])
    }
}

extension DeviceCut {
    /// - Throws: `ProtocolError` `malformed`; `violation` for more ends than a device has logs.
    init(_ wire: Wire.Cut) throws(ProtocolError) {
        guard let deviceID = DeviceID(bytes: wire.deviceID), let proof = try Signature.decode(wire.proof) else {
            throw ProtocolError(.malformed, "a cut names no device, or has no proof")
        }
        guard wire.ends.count <= Limits.deviceCuts else {
            throw ProtocolError(.violation, "a cut names more than \(Limits.deviceCuts) places")
        }
        var ends: [LogPlace] = []
        for end in wire.ends { ends.append(try LogPlace(end)) }
        self.init(of: deviceID, after: ends, proof: proof)
    }

    var wire: Wire.Cut {
        Wire.Cut(deviceID: Wire.bytes(deviceID), ends: ends.map(\.wire), proof: proof.bytes)
    }
}

extension ErasedRun {
    /// - Throws: `ProtocolError` `malformed`; `violation` for more runs than one statement has.
    static func decode(_ wire: Wire.Erasure) throws(ProtocolError) -> [ErasedRun] {
        guard wire.runs.count <= Limits.erasedRuns else {
            throw ProtocolError(.violation, "an entry erases more than \(Limits.erasedRuns) runs of entries")
        }
        var runs: [ErasedRun] = []
        for run in wire.runs {
            guard let last = run.last, run.count > 0, run.count <= last.sequence else {
                throw ProtocolError(.malformed, "an erasure names no entries, or more than a log has")
            }
            runs.append(ErasedRun(through: try LogPlace(last), count: run.count))
        }
        return runs
    }

    static func wire(_ runs: [ErasedRun]) -> Wire.Erasure {
        Wire.Erasure(runs: runs.map { Wire.ErasedRun(last: $0.last.wire, count: $0.count) })
    }
}

extension Wire.Shown {
    /// - Throws: `ProtocolError` `malformed`; `violation` for more entries than one statement has.
    func decoded() throws(ProtocolError) -> [LogPlace] {
        guard places.count <= Limits.shownPlaces else {
            throw ProtocolError(
                .violation, "an entry says of more than \(Limits.shownPlaces) entries that they were shown")
        }
        var shown: [LogPlace] = []
        for place in places { shown.append(try LogPlace(place)) }
        return shown
    }
}

extension Signature {
    /// - Returns: `nil` where there is none.
    fileprivate static func decode(_ bytes: [UInt8]) throws(ProtocolError) -> Signature? {
        guard !bytes.isEmpty else { return nil }
        guard let signature = Signature(bytes) else {
            throw ProtocolError(.malformed, "a proof in an entry has the wrong length")
        }
        return signature
    }
}
