import Testing

@testable import EarshotCrypto

@Suite("A sealed stream")
struct SealedStreamTests {
    private static let cost = PassphraseCost(passes: 1, kibibytes: 8)
    private static let passphrase = SecretBytes(copying: Array("correct horse".utf8))

    private static func seal(_ chunks: [[UInt8]]) throws -> (beginning: [UInt8], chunks: [[UInt8]]) {
        let writer = try SealedStreamWriter(passphrase: passphrase, cost: cost)
        let sealed = chunks.enumerated().map { writer.seal($1, isLast: $0 == chunks.count - 1) }
        return (writer.beginning, sealed)
    }

    private func code(_ body: () throws -> Void) -> CryptoError.Code? {
        do { try body() } catch { return (error as? CryptoError)?.code }
        return nil
    }

    @Test("opens as it was sealed, and marks its end")
    func roundTrip() throws {
        let chunks = [[UInt8](repeating: 7, count: SealedStream.chunkBytes), Array("end".utf8)]
        let sealed = try Self.seal(chunks)
        #expect(sealed.beginning.count == SealedStream.headerBytes)
        let reader = try SealedStreamReader(beginning: sealed.beginning, passphrase: Self.passphrase)
        let first = try reader.open(sealed.chunks[0])
        #expect(first.chunk == chunks[0] && !first.isLast)
        let last = try reader.open(sealed.chunks[1])
        #expect(last.chunk == chunks[1] && last.isLast)
    }

    @Test("does not open with another passphrase, or when any byte of its beginning was changed")
    func beginning() throws {
        let sealed = try Self.seal([[1]])
        #expect(
            code {
                _ = try SealedStreamReader(
                    beginning: sealed.beginning, passphrase: SecretBytes(copying: Array("wrong horse".utf8)))
            } == .wrongPassphrase)
        for index in sealed.beginning.indices where !(15..<23).contains(index) {
            var changed = sealed.beginning
            changed[index] ^= 1
            #expect(
                code { _ = try SealedStreamReader(beginning: changed, passphrase: Self.passphrase) } != nil,
                "byte \(index)")
        }
    }

    @Test("refuses chunks that were changed, moved, repeated or left out")
    func chunks() throws {
        let sealed = try Self.seal([[1], [2], [3]])
        func reader() throws -> SealedStreamReader {
            try SealedStreamReader(beginning: sealed.beginning, passphrase: Self.passphrase)
        }
        let moved = try reader()
        #expect(code { _ = try moved.open(sealed.chunks[1]) } == .decryptionFailed)
        let doubled = try reader()
        _ = try doubled.open(sealed.chunks[0])
        #expect(code { _ = try doubled.open(sealed.chunks[0]) } == .decryptionFailed)
        for index in sealed.chunks[0].indices {
            var changed = sealed.chunks[0]
            changed[index] ^= 1
            let reader = try reader()
            #expect(code { _ = try reader.open(changed) } == .decryptionFailed)
        }
        let other = try Self.seal([[1], [2], [3]])
        let mixed = try reader()
        #expect(code { _ = try mixed.open(other.chunks[0]) } == .decryptionFailed)
    }

    @Test("reports a newer version, and asks for no absurd amount of memory")
    func header() throws {
        let sealed = try Self.seal([[1]])
        var newer = sealed.beginning
        newer[SealedStreamHeader.magic.count] = 2
        #expect(code { _ = try SealedStreamReader(beginning: newer, passphrase: Self.passphrase) } == .newerVersion)
        var costly = sealed.beginning
        costly[19] = 0xff
        #expect(code { _ = try SealedStreamReader(beginning: costly, passphrase: Self.passphrase) } == .malformedBox)
        let short = Array(sealed.beginning.prefix(40))
        #expect(code { _ = try SealedStreamReader(beginning: short, passphrase: Self.passphrase) } == .malformedBox)
        #expect(code { _ = try SealedStreamReader(beginning: [], passphrase: Self.passphrase) } == .malformedBox)
    }
}
