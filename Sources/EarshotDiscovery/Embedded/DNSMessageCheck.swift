/// Whether libavahi-core may see a datagram that came to the port of multicast DNS. It must be a DNS message (RFC 1035
/// section 4.1) as RFC 6762 section 18 has it, without a record that the library cannot bear.
///
/// Such a record is a `CNAME`. When libavahi-core 0.8 follows them, it recurses without end (CVE-2026-24401), fails its
/// own assertions at once or when the records expire (CVE-2025-68471, CVE-2025-68468), and uses freed memory. DNS-SD
/// needs none. Unknown types pass; their content is not checked.
///
/// Pure. The work for one message is bounded by its length, and by `maximumNameParts` for each name.
struct DNSMessageCheck {
    /// Why the library may not see a message.
    enum Fault: Error, Equatable {
        /// Over `maximumBytes`.
        case tooLong
        /// Its parts do not fit together.
        case malformed
        /// It has a record of type `CNAME`.
        case canonicalName
    }

    /// RFC 6762 section 17: the largest packet of multicast DNS, though fragmented.
    static let maximumBytes = 9000
    /// RFC 1035 section 2.3.4: the octets of a name, with those that tell the lengths of its labels.
    static let maximumNameBytes = 255
    /// Labels and pointers of one name. A name of the greatest length has 127 labels.
    static let maximumNameParts = 127

    private static let headerBytes = 12
    /// The types whose data is looked at: RFC 1035 section 3.2.2, RFC 2782.
    enum RecordType {
        static let nameServer = 2
        static let canonicalName = 5
        static let pointer = 12
        static let service = 33
    }

    private let bytes: ArraySlice<UInt8>
    /// From the first of them.
    private var offset = 0

    /// - Returns: nothing for a message that is fit.
    static func fault(in bytes: ArraySlice<UInt8>) -> Fault? {
        guard bytes.count <= maximumBytes else { return .tooLong }
        var check = DNSMessageCheck(bytes: bytes)
        do throws(Fault) {
            try check.readMessage()
            return nil
        } catch {
            return error
        }
    }

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The counts may claim anything: each question and record takes bytes that must be there. Bytes after the last
    /// record are ignored.
    private mutating func readMessage() throws(Fault) {
        try skip(4)  // identifier and flags
        let questions = try readInteger()
        let records = try readInteger() + readInteger() + readInteger()
        for _ in 0..<questions {
            try skipName()
            try skip(4)  // type and class
        }
        for _ in 0..<records { try readRecord() }
    }

    /// RFC 1035 section 4.1.3.
    private mutating func readRecord() throws(Fault) {
        try skipName()
        let type = try readInteger()
        try skip(6)  // class and time to live
        let length = try readInteger()
        let end = offset + length
        guard end <= bytes.count else { throw .malformed }
        switch type {
        case RecordType.canonicalName: throw .canonicalName
        case RecordType.nameServer, RecordType.pointer: try skipName(endingAt: end)
        case RecordType.service:
            try skip(6)  // priority, weight and port
            try skipName(endingAt: end)
        default: offset = end
        }
    }

    private mutating func skipName(endingAt end: Int) throws(Fault) {
        try skipName()
        guard offset == end else { throw .malformed }
    }

    /// RFC 1035 section 4.1.4. A pointer leads to a place before the part of the name that it ends, so every name ends.
    mutating func skipName() throws(Fault) {
        var position = offset
        var partStart = offset
        var endInPlace: Int?
        var length = 1
        for _ in 0...Self.maximumNameParts {
            let first = try byte(at: position)
            switch first >> 6 {
            case 0b00 where first == 0:
                offset = endInPlace ?? position + 1
                return
            case 0b00:
                position += 1 + Int(first)
                length += 1 + Int(first)
                guard length <= Self.maximumNameBytes else { throw .malformed }
            case 0b11:
                let target = Int(first & 0x3f) << 8 | Int(try byte(at: position + 1))
                guard target >= Self.headerBytes, target < partStart else { throw .malformed }
                endInPlace = endInPlace ?? position + 2
                (position, partStart) = (target, target)
            default: throw .malformed
            }
        }
        throw .malformed
    }

    /// Whether a name follows that is the same as this one but for the case of ASCII letters (RFC 4343).
    /// - Parameter name: in full, without a pointer.
    func isName(_ name: [UInt8]) throws(Fault) -> Bool {
        var position = offset
        var compared = 0
        // Each part of this name is a length and a label; pointers lead on, as in `skipName`.
        for _ in 0...Self.maximumNameParts {
            let first = try byte(at: position)
            if first >> 6 == 0b11 {
                position = Int(first & 0x3f) << 8 | Int(try byte(at: position + 1))
                continue
            }
            let end = compared + 1 + Int(first)
            guard end <= name.count, name[compared] == first else { return false }
            for index in 1..<end - compared
            where try Self.folded(byte(at: position + index)) != Self.folded(name[compared + index]) {
                return false
            }
            if first == 0 { return true }
            position += end - compared
            compared = end
        }
        throw .malformed
    }

    private static func folded(_ letter: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter | 0x20 : letter
    }

    private func byte(at position: Int) throws(Fault) -> UInt8 {
        guard position < bytes.count else { throw .malformed }
        return bytes[bytes.startIndex + position]
    }

    /// Two octets, the high one first.
    mutating func readInteger() throws(Fault) -> Int {
        let value = Int(try byte(at: offset)) << 8 | Int(try byte(at: offset + 1))
        offset += 2
        return value
    }

    mutating func skip(_ count: Int) throws(Fault) {
        guard offset + count <= bytes.count else { throw .malformed }
        offset += count
    }
}
