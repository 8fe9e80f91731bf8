/// Queries that a node need not answer, because they are about other names, or tell that its answer is known (RFC 6762
/// sections 7.1 and 7.2).
///
/// The library keeps each known answer of each query for a while, and looks for a new one among all of them; and it looks for
/// each question among those that were asked lately. Where many nodes ask at the same time, and know each other, it does
/// little else, and what they answer finds no room on the socket meanwhile.
extension DNSMessageCheck {
    /// What a message may want of this node.
    enum Want: Equatable {
        /// It is a query, and wants nothing.
        case nothing
        /// It asks who advertises the service, and does not know this node; and nothing else of this node.
        /// - Parameter isWhole: `false` if more may follow that tells that it is known (RFC 6762 section 7.2).
        case instances(isWhole: Bool)
        /// It ends a question for instances that may have been let through, and does know this node.
        case noInstances
        /// Anything: the library has to see it.
        case unknown
    }

    /// Half of the time that the library lets others keep a service. One that is kept for less is to be told again.
    static let leastKnownSeconds = 2250

    /// RFC 1035 section 4.1.1, and of a question's class: RFC 6762 section 5.4.
    private static let truncated = 0x0200
    private static let wantsUnicast = 0x8000

    /// - Parameters:
    ///   - bytes: a message that is fit.
    ///   - names: those of all records that are advertised.
    static func want(of bytes: ArraySlice<UInt8>, from names: AdvertisedNames) -> Want {
        var check = DNSMessageCheck(bytes: bytes)
        do throws(Fault) {
            return try check.want(from: names)
        } catch {
            return .unknown
        }
    }

    private mutating func want(from names: AdvertisedNames) throws(Fault) -> Want {
        try skip(2)  // identifier
        let flags = try readInteger()
        let (questions, answers) = (try readInteger(), try readInteger())
        try skip(4)
        let isQuery = flags >> 11 == 0
        guard isQuery, questions > 0 || answers > 0 else { return .unknown }
        var asksForInstances = false
        for _ in 0..<questions {
            let isOfService = try isName(names.service)
            for name in names.others where try isName(name) { return .unknown }
            try skipName()
            let (type, questionClass) = (try readInteger(), try readInteger())
            guard isOfService else { continue }
            guard type == RecordType.pointer, questionClass & Self.wantsUnicast == 0 else { return .unknown }
            asksForInstances = true
        }
        guard questions == 0 || asksForInstances else { return .nothing }
        var isKnown = false
        for _ in 0..<answers where try readKnownAnswer(is: names.instanceLabel) { isKnown = true }
        // Without a question it goes on with what an earlier message knows.
        guard asksForInstances else { return isKnown ? .noInstances : .nothing }
        return isKnown ? .nothing : .instances(isWhole: flags & Self.truncated == 0)
    }

    /// - Returns: whether it is of this instance, and not about to be forgotten.
    private mutating func readKnownAnswer(is label: [UInt8]) throws(Fault) -> Bool {
        try skipName()
        let type = try readInteger()
        try skip(2)  // class
        let seconds = try readInteger() << 16 | readInteger()
        let length = try readInteger()
        let isOfInstance = starts(with: label)
        try skip(length)
        return type == RecordType.pointer && seconds >= Self.leastKnownSeconds && isOfInstance
    }
}
