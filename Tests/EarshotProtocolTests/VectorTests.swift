import Foundation
import Testing

@Suite("The protocol's test vectors")
struct VectorTests {
    /// Set to write docs/vectors.json and the blocks in docs/PROTOCOL.md anew, after a change of the protocol.
    private static let isWriting = ProcessInfo.processInfo.environment["EARSHOT_WRITE_VECTORS"] != nil

    @Test("of the file are what this implementation computes")
    func fileIsCurrent() throws {
        let computed = try Vectors().sections
        if Self.isWriting { try VectorDocument.write(computed) }
        let published = try VectorDocument.inFile()
        #expect(Set(published.keys) == Set(computed.keys))
        for (section, values) in computed {
            #expect(Set(values.keys) == Set(published[section, default: [:]].keys), "\(section)")
            for (name, value) in values { #expect(published[section]?[name] == value, "\(section).\(name)") }
        }
    }

    @Test("are the same each time they are computed")
    func computationIsDeterministic() throws {
        #expect(try Vectors().sections == Vectors().sections)
    }

    @Test("that the specification quotes are those of the file, and all of them")
    func pageQuotesFile() throws {
        #expect(try VectorDocument.inPage() == VectorDocument.inFile())
    }
}
