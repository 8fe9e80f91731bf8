/// DNS messages made by hand, honest and not: RFC 1035 section 4.1.
struct DNSMessage {
    enum RecordType: UInt16 {
        case a = 1
        case canonicalName = 5
        case hostInfo = 13
        case pointer = 12
        case text = 16
        case ipv6 = 28
        case service = 33
        case options = 41
        case nextSecure = 47
        case any = 255
    }

    struct Record {
        var name: [UInt8]
        var type: RecordType
        var data: [UInt8]
        var seconds: UInt32 = 120
    }

    typealias Question = (name: [UInt8], type: RecordType)

    var flags: UInt16 = 0x8400
    var questions: [Question] = []
    var answers: [Record] = []
    var authorities: [Record] = []
    var additionals: [Record] = []

    var bytes: [UInt8] {
        let counts = [questions.count, answers.count, authorities.count, additionals.count]
        return Self.integer(0) + Self.integer(flags) + counts.flatMap { Self.integer(UInt16($0)) }
            + questions.flatMap { $0.name + Self.integer($0.type.rawValue) + Self.integer(1) }
            + (answers + authorities + additionals).flatMap(Self.bytes(of:))
    }

    /// In full, without a pointer.
    static func name(_ name: String) -> [UInt8] { labels(name) + [0] }

    /// Labels, and a pointer to where they go on.
    static func name(_ name: String, thenAt offset: UInt16) -> [UInt8] { labels(name) + integer(0xc000 | offset) }

    /// A name that is a pointer alone.
    static func pointer(to offset: UInt16) -> [UInt8] { integer(0xc000 | offset) }

    static func alias(_ name: String, of target: String, seconds: UInt32 = 120) -> Record {
        Record(name: Self.name(name), type: .canonicalName, data: Self.name(target), seconds: seconds)
    }

    static func integer(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }

    private static func labels(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    private static func bytes(of record: Record) -> [UInt8] {
        let seconds = integer(UInt16(record.seconds >> 16)) + integer(UInt16(record.seconds & 0xffff))
        return record.name + integer(record.type.rawValue) + integer(0x8001) + seconds
            + integer(UInt16(record.data.count)) + record.data
    }
}
