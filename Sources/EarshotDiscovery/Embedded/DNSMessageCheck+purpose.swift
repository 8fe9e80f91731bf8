/// What a message is for, as seen by a node that advertises one instance of the service.
extension DNSMessageCheck {
    enum Purpose: Equatable {
        /// It is a query, and wants nothing of this node: it is about names of others, or knows this node's answer (RFC 6762
        /// section 7.1).
        case needless
        /// It asks who advertises the service, and does not know this node; and nothing else of this node.
        /// - Parameter isWhole: `false` if more of what it knows may follow (RFC 6762 section 7.2).
        case question(isWhole: Bool)
        /// It asks nothing, and goes on with what an earlier question knows.
        case continuation
        /// It says that this node advertises the service.
        case ownAnswer
        /// Anything else.
        case other
    }

    /// Half of the lifetime that the library gives a service's record. Whoever knows the record, but for less than this, is to
    /// be told again (RFC 6762 section 7.1).
    static let leastKnownSeconds = 2250

    /// Of the flags: RFC 1035 section 4.1.1.
    private static let truncated = 0x0200
    /// Of a question's class: RFC 6762 section 5.4.
    private static let wantsUnicast = 0x8000

    /// - Parameters:
    ///   - bytes: a message that is fit.
    ///   - names: those of all that this program advertises.
    static func purpose(of bytes: ArraySlice<UInt8>, for names: AdvertisedNames) -> Purpose {
        var check = DNSMessageCheck(bytes: bytes)
        do throws(Fault) {
            return try check.purpose(for: names)
        } catch {
            return .other
        }
    }

    private mutating func purpose(for names: AdvertisedNames) throws(Fault) -> Purpose {
        try skip(2)  // identifier
        let flags = try readInteger()
        let (questions, answers) = (try readInteger(), try readInteger())
        try skip(4)
        guard flags >> 11 == 0 else { return try purposeOfAnswer(questions: questions, answers: answers, for: names) }
        guard questions > 0 else { return answers > 0 ? .continuation : .other }
        var asksForInstances = false
        for _ in 0..<questions {
            let isOfService = try isName(names.service)
            for name in names.others where try isName(name) { return .other }
            try skipName()
            let (type, questionClass) = (try readInteger(), try readInteger())
            guard isOfService else { continue }
            guard type == RecordType.pointer, questionClass & Self.wantsUnicast == 0 else { return .other }
            asksForInstances = true
        }
        guard asksForInstances else { return .needless }
        for _ in 0..<answers where try readInstance(is: names) { return .needless }
        return .question(isWhole: flags & Self.truncated == 0)
    }

    private mutating func purposeOfAnswer(
        questions: Int, answers: Int, for names: AdvertisedNames
    ) throws(Fault) -> Purpose {
        guard questions == 0 else { return .other }
        for _ in 0..<answers where try readInstance(is: names) { return .ownAnswer }
        return .other
    }

    /// Reads a record.
    /// - Returns: whether it says that this instance is one of the service, and is not soon forgotten.
    private mutating func readInstance(is names: AdvertisedNames) throws(Fault) -> Bool {
        let isOfService = try isName(names.service)
        try skipName()
        let type = try readInteger()
        try skip(2)  // class
        let seconds = try readInteger() << 16 | readInteger()
        let length = try readInteger()
        guard isOfService, type == RecordType.pointer, seconds >= Self.leastKnownSeconds else {
            try skip(length)
            return false
        }
        let isThisOne = try isName(names.instance)
        try skip(length)
        return isThisOne
    }
}
