import EarshotCrypto
import EarshotModel
import Testing

@Suite("After a Noise handshake")
struct TransportStateTests {
    private var sender: TransportState
    private var receiver: TransportState

    init() throws {
        (sender, receiver) = try Handshake.transports()
    }

    @Test("messages pass both ways, from empty to the longest", arguments: [0, 1, 16, 1000, 65519])
    mutating func passesMessages(length: Int) throws {
        let plaintext = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<3 {
            let sealed = try sender.seal(plaintext)
            #expect(sealed.count == length + TransportState.tagBytes)
            #expect(try receiver.open(sealed) == plaintext)
            #expect(try sender.open(receiver.seal(plaintext)) == plaintext)
        }
    }

    @Test("a message is at most 65535 bytes, sealed")
    mutating func bounds() {
        let tooLong = [UInt8](repeating: 0, count: 65520)
        expect(.messageTooLong) { try sender.seal(tooLong) }
        expect(.messageTooLong) { try receiver.open([UInt8](repeating: 0, count: 65536)) }
    }

    @Test("a bit altered anywhere is refused, and the genuine message still opens")
    mutating func refusesAlteredMessage() throws {
        let sealed = try sender.seal([1, 2, 3])
        for altered in sealed.withEachBitFlipped {
            expect(.decryptionFailed) { try receiver.open(altered) }
        }
        #expect(try receiver.open(sealed) == [1, 2, 3])
    }

    @Test("a message cut short or lengthened is refused, and the genuine message still opens")
    mutating func refusesOtherLength() throws {
        let sealed = try sender.seal([1, 2, 3])
        for length in 0..<TransportState.tagBytes {
            expect(.messageTooShort) { try receiver.open(Array(sealed.prefix(length))) }
        }
        for length in TransportState.tagBytes..<sealed.count {
            expect(.decryptionFailed) { try receiver.open(Array(sealed.prefix(length))) }
        }
        expect(.decryptionFailed) { try receiver.open(sealed + [0]) }
        #expect(try receiver.open(sealed) == [1, 2, 3])
    }

    @Test("a message replayed, early or sent back is refused")
    mutating func refusesOtherOrder() throws {
        let first = try sender.seal([1])
        let second = try sender.seal([2])
        expect(.decryptionFailed) { try receiver.open(second) }
        #expect(try receiver.open(first) == [1])
        expect(.decryptionFailed) { try receiver.open(first) }
        expect(.decryptionFailed) { try sender.open(second) }
        #expect(try receiver.open(second) == [2])
    }

    @Test("a message of another session is refused")
    mutating func refusesOtherSession() throws {
        var (other, _) = try Handshake.transports()
        let foreign = try other.seal([1])
        expect(.decryptionFailed) { try receiver.open(foreign) }
    }

    @Test("an output buffer of another length is refused", arguments: [-1, 1])
    mutating func refusesOtherBuffer(difference: Int) throws {
        let sealed = try sender.seal([1, 2, 3])
        expect(.wrongBufferSize) { try seal([1, 2, 3], outputBytes: 19 + difference) }
        expect(.wrongBufferSize) { try open(sealed, outputBytes: 3 + difference) }
        #expect(try receiver.open(sealed) == [1, 2, 3])
    }

    @Test("sealing and opening work in place")
    mutating func worksInPlace() throws {
        var buffer = Array("in place".utf8) + [UInt8](repeating: 0, count: TransportState.tagBytes)
        try buffer.withUnsafeMutableBytes { memory in
            let plaintext = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory).prefix(8))
            try sender.seal(plaintext, into: memory)
            try receiver.open(
                UnsafeRawBufferPointer(memory), into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(8)))
        }
        #expect(Array(buffer.prefix(8)) == Array("in place".utf8))
    }

    @Test("a message that is refused leaves no plaintext")
    mutating func leavesNoPlaintext() throws {
        var sealed = try sender.seal(Array("secret".utf8))
        sealed[sealed.count - 1] ^= 1
        var output = [UInt8](repeating: 0, count: 6)
        expect(.decryptionFailed) {
            try sealed.withUnsafeBytes { sealed in
                try output.withUnsafeMutableBytes { try receiver.open(sealed, into: $0) }
            }
        }
        #expect(output == [UInt8](repeating: 0, count: 6))
    }

    private mutating func seal(_ plaintext: [UInt8], outputBytes: Int) throws {
        var output = [UInt8](repeating: 0, count: outputBytes)
        try plaintext.withUnsafeBytes { plaintext in
            try output.withUnsafeMutableBytes { try sender.seal(plaintext, into: $0) }
        }
    }

    private mutating func open(_ ciphertext: [UInt8], outputBytes: Int) throws {
        var output = [UInt8](repeating: 0, count: outputBytes)
        try ciphertext.withUnsafeBytes { ciphertext in
            try output.withUnsafeMutableBytes { try receiver.open(ciphertext, into: $0) }
        }
    }
}
