import Testing

@testable import EarshotCommand

@Suite("Memory that is given back")
struct ResidentMemoryTests {
    private static let maps = """
        55e0a0000000-55e0a0400000 r-xp 00000000 fe:00 1234                       /usr/bin/earshot
        55e0a0400000-55e0a0420000 r--p 00400000 fe:00 1234                       /usr/bin/earshot
        55e0a0420000-55e0a0430000 rw-p 00420000 fe:00 1234                       /usr/bin/earshot
        55e0a1000000-55e0a1100000 rw-p 00000000 00:00 0                          [heap]
        7f0000000000-7f0000001000 r-xp 00000000 00:00 0
        7f0000100000-7f0000200000 rwxp 00000000 fe:00 1235                       /usr/lib/with a blank.so
        7f0000200000-7f0000300000 r-xp 00000000 fe:00 1236                       /usr/lib/with a blank.so
        7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]
        """

    @Test("is code of files that cannot have been written to, and nothing else")
    func code() {
        #expect(
            ResidentMemory.code(in: Array(Self.maps.utf8))
                == [0x55e0_a000_0000..<0x55e0_a040_0000, 0x7f00_0020_0000..<0x7f00_0030_0000])
        #expect(ResidentMemory.code(in: []).isEmpty)
        let nonsense =
            "nonsense r-xp 0 0 0 /file\n2-1 r-xp 0 0 0 /file\n1-2 r-xp\n-\n \n"
            + "- r-xp 0 0 0 /file\n1-x r-xp 0 0 0 /file"
        #expect(ResidentMemory.code(in: Array(nonsense.utf8)).isEmpty)
    }

    @Test("is none while a debugger is attached")
    func debugger() {
        #expect(!ResidentMemory.isTraced("Name:\tearshot\nTracerPid:\t0\nUid:\t0"))
        #expect(ResidentMemory.isTraced("Name:\tearshot\nTracerPid:\t310\nUid:\t0"))
    }

    @Test("is measured as the kernel counts it: files, and the rest")
    func size() throws {
        let size = try #require(ResidentMemory.Size(statm: "45000 12000 9000 7000 0 3000 0\n", pageSize: 4096))
        #expect(size.files == 9000 * 4096)
        #expect(size.heap == 3000 * 4096)
        #expect(ResidentMemory.Size(statm: "45000 12000", pageSize: 4096) == nil)
        #expect(ResidentMemory.Size(statm: "", pageSize: 4096) == nil)
    }

    private static func size(files: Int, heap: Int) throws -> ResidentMemory.Size {
        try #require(ResidentMemory.Size(statm: "0 \(files + heap) \(files) 0 0 0 0\n", pageSize: 1 << 20))
    }

    @Test("is looked for in the heap when that has grown")
    func heap() throws {
        var pace = ResidentMemory.Pace()
        #expect(pace.wantsHeap(try Self.size(files: 1, heap: 5)))
        pace.gaveBackHeap(leaving: try Self.size(files: 1, heap: 4))
        #expect(!pace.wantsHeap(try Self.size(files: 1, heap: 6)))
        #expect(pace.wantsHeap(try Self.size(files: 1, heap: 7)))
        #expect(!pace.wantsHeap(try Self.size(files: 1, heap: 3)))
        #expect(pace.wantsHeap(try Self.size(files: 1, heap: 6)))
    }

    @Test("is taken from the code when more than 12 MiB of files are mapped")
    func mappedCode() throws {
        let pace = ResidentMemory.Pace()
        #expect(!pace.wantsCode(try Self.size(files: 12, heap: 1)))
        #expect(pace.wantsCode(try Self.size(files: 13, heap: 1)))
    }
}
