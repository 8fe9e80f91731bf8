/// Queries that a node need not answer, because they tell that its answer is known (RFC 6762 sections 7.1 and 7.2).
///
/// The library keeps each known answer of each query for a while, and looks for a new one among all of them. Where many
/// nodes ask at the same time, and know each other, it does little else.
extension DNSMessageCheck {
    /// Half of the time that the library lets others keep a service. One that is kept for less is to be told again.
    static let leastKnownSeconds = 2250

    private static let serviceName = name(Advertisement.serviceType + "." + AvahiStack.domain)

    /// - Parameters:
    ///   - bytes: a message that is fit.
    ///   - instance: the only one that is advertised.
    /// - Returns: `false` where it is not certain.
    static func needsNoAnswer(_ bytes: some Collection<UInt8>, of instance: String) -> Bool {
        var check = DNSMessageCheck(bytes: Array(bytes))
        do throws(Fault) {
            return try check.needsNoAnswer(of: [UInt8(clamping: instance.utf8.count)] + instance.utf8)
        } catch {
            return false
        }
    }

    private mutating func needsNoAnswer(of label: [UInt8]) throws(Fault) -> Bool {
        try skip(2)  // identifier
        let isQuery = try readInteger() >> 11 == 0
        let (questions, answers, authorities) = (try readInteger(), try readInteger(), try readInteger())
        try skip(2)
        // Authorities make it a probe, which is about names.
        guard isQuery, authorities == 0, answers > 0 else { return false }
        for _ in 0..<questions {
            let isOfService = rest.starts(with: Self.serviceName)
            try skipName()
            guard isOfService, try readInteger() == RecordType.pointer else { return false }
            try skip(2)  // class
        }
        var isKnown = false
        for _ in 0..<answers where try readKnownAnswer(is: label) { isKnown = true }
        // Without a question it goes on with what an earlier message knows: an answer to that may be on its way.
        return isKnown == (questions > 0)
    }

    /// - Returns: whether it is of this instance, and not about to be forgotten.
    private mutating func readKnownAnswer(is label: [UInt8]) throws(Fault) -> Bool {
        try skipName()
        let type = try readInteger()
        try skip(2)  // class
        let seconds = try readInteger() << 16 | readInteger()
        let length = try readInteger()
        let isOfInstance = rest.starts(with: label)
        try skip(length)
        return type == RecordType.pointer && seconds >= Self.leastKnownSeconds && isOfInstance
    }

    /// In full, without a pointer.
    private static func name(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}
