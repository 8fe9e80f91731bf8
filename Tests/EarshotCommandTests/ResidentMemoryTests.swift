import Foundation
import Testing

@testable import EarshotCommand

@Suite("Memory that is given back")
struct ResidentMemoryTests {
    /// What is mapped from files, by whether it can be written to.
    private static func mappings() throws -> [(range: Range<UInt>, isWritable: Bool)] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 5)
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields.count == 6, fields[5].contains("/"), ends.count == 2 else { return nil }
            return (ends[0]..<ends[1], fields[1].contains("w"))
        }
    }

    @Test("is code and constants of files that nobody can write to, and nothing else")
    func code() throws {
        var ranges: [Range<UInt>] = []
        LoadedFile.forEach { ranges += $0.unwritten }
        let mappings = try Self.mappings()
        #expect(ranges.count > 10)
        for range in ranges {
            let found = mappings.filter { $0.range.overlaps(range) }
            #expect(!found.isEmpty && found.allSatisfy { !$0.isWritable })
        }
        let variable = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { variable.deallocate() }
        #expect(!ranges.contains { $0.contains(UInt(bitPattern: variable)) })
        let global = try #require(dlsym(nil, "environ"))
        #expect(!ranges.contains { $0.contains(UInt(bitPattern: global)) })
        let function = try #require(dlsym(nil, "malloc"))
        #expect(ranges.contains { $0.contains(UInt(bitPattern: function)) })
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

    @Test("is taken from the code when more than 22 MiB are mapped, and every five minutes when it is more than 12")
    func mappedCode() throws {
        var pace = ResidentMemory.Pace()
        #expect(pace.wantsCode(try Self.size(files: 23, heap: 1)))
        #expect(pace.wantsCode(try Self.size(files: 23, heap: 1)))
        for _ in 1..<30 { #expect(!pace.wantsCode(try Self.size(files: 22, heap: 1))) }
        #expect(!pace.wantsCode(try Self.size(files: 12, heap: 1)))
        #expect(pace.wantsCode(try Self.size(files: 13, heap: 1)))
        #expect(!pace.wantsCode(try Self.size(files: 13, heap: 1)))
    }
}
