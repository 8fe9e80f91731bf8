import EarshotCrypto
import Glibc
import Testing

@Suite("Where bytes are secret")
struct SecretBytesTests {
    private struct Refusal: Error {}

    @Test("the bytes are those that were given")
    func keepsBytes() {
        let secret = SecretBytes(copying: [1, 2, 3])
        #expect(secret.count == 3)
        #expect(secret.withUnsafeBytes { Array($0) } == [1, 2, 3])
        #expect(SecretBytes(copying: []).withUnsafeBytes { $0.count } == 0)
    }

    @Test("two are equal where count and every byte are")
    func compares() {
        #expect(SecretBytes(copying: [1, 2, 3]) == SecretBytes(copying: [1, 2, 3]))
        #expect(SecretBytes(copying: [1, 2, 3]) != SecretBytes(copying: [1, 2, 4]))
        #expect(SecretBytes(copying: [1, 2, 3]) != SecretBytes(copying: [1, 2]))
        #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
    }

    @Test("no way of printing shows the bytes")
    func isNotPrintable() {
        let secret = SecretBytes(copying: [222, 173])
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret)" == "<secret>")
        #expect(String(reflecting: secret) == "<secret>")
        #expect(!dumped.contains("222") && !dumped.contains("memory"))
        #expect("\(SigningKey.generate())".contains("<secret>"))
    }

    @Test("an error while filling is passed on")
    func passesErrorOn() {
        #expect(throws: Refusal.self) {
            try SecretBytes(count: 4) { _ in throw Refusal() }
        }
    }

    @Test("random bytes differ from one call to the next")
    func isRandom() {
        #expect(SecretBytes.random(count: 32) != SecretBytes.random(count: 32))
        #expect(SecretBytes.random(count: 0).count == 0)
    }

    @Test("those of a link are their holder's alone, and are wiped when they are released")
    func ofLink() throws {
        let secrets = (0..<200 as Range<UInt8>).map { number in
            SecretBytes(copying: [UInt8](repeating: number + 1, count: 1 + Int(number) % 64), isOfLink: true)
        }
        for (number, secret) in secrets.enumerated() {
            #expect(secret.withUnsafeBytes { $0.allSatisfy { Int($0) == number + 1 } })
        }
        // Their memory stays the process's, so it may still be looked at. Other tests may use it by then.
        var released: SecretBytes? = SecretBytes(copying: [UInt8](repeating: 0xa5, count: 64), isOfLink: true)
        let memory = try #require(released?.withUnsafeBytes { UnsafeRawBufferPointer($0) })
        released = nil
        #expect(!memory.elementsEqual([UInt8](repeating: 0xa5, count: 64)))
    }

    @Test("writing to a filled secret ends the process")
    func isReadOnly() async {
        await #expect(processExitsWith: .failure) {
            signal(SIGSEGV, SIG_DFL)  // Else a sanitizer reports what is meant to happen.
            let secret = SecretBytes(copying: [1])
            secret.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0)[0] = 2 }
        }
    }

    @Test("reading past the end of a secret's pages ends the process")
    func isGuarded() async {
        await #expect(processExitsWith: .failure) {
            signal(SIGSEGV, SIG_DFL)
            let secret = SecretBytes(copying: [UInt8](repeating: 1, count: 16))
            let past = secret.withUnsafeBytes { $0.baseAddress?.load(fromByteOffset: 16, as: UInt8.self) }
            precondition(past != nil)
        }
    }
}
