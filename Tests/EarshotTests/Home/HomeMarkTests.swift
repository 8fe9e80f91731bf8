import TestSupport
import Testing

@testable import Earshot

@Suite("A mark on a home directory")
struct HomeMarkTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    @Test("is seen until it is removed")
    func seen() throws {
        #expect(!HomeMark.isSet(.coming, of: home))
        let mark = try #require(try HomeMark(.coming, of: home))
        #expect(HomeMark.isSet(.coming, of: home))
        #expect(!HomeMark.isSet(.starting, of: home))
        mark.remove()
        #expect(!HomeMark.isSet(.coming, of: home))
    }

    @Test("is held by one alone, or by several who share it")
    func shared() throws {
        let first = try #require(try HomeMark(.guest, of: home, isShared: true))
        let second = try #require(try HomeMark(.guest, of: home, isShared: true))
        #expect(HomeMark.holders(of: .guest, of: home) == .sharing)
        #expect(try HomeMark(.guest, of: home) == nil)
        first.remove()
        #expect(try HomeMark(.guest, of: home) == nil)
        second.remove()
        let alone = try #require(try HomeMark(.guest, of: home))
        #expect(HomeMark.holders(of: .guest, of: home) == .alone)
        #expect(try HomeMark(.guest, of: home, isShared: true) == nil)
        alone.remove()
    }

    @Test("ends with the object")
    func lifetime() throws {
        do {
            let mark = try #require(try HomeMark(.starting, of: home))
            withExtendedLifetime(mark) { #expect(HomeMark.isSet(.starting, of: home)) }
        }
        #expect(!HomeMark.isSet(.starting, of: home))
    }
}
