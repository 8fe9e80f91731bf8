import CLinuxMemory
import Foundation

/// Keeps the memory of a node small that runs for long.
///
/// What a process ran once, at its start, stays mapped from the program's file and so counts as its memory; and what it has
/// freed after much work stays with the allocator. Both are given back. Code that is used again comes back from the page
/// cache.
enum ResidentMemory {
    /// How long after the start it is looked at first.
    private static let settling = Duration.seconds(5)
    /// How often it is looked at.
    private static let interval = Duration.seconds(10)
    /// Bytes of a file in /proc that are read.
    private static let largestText = 1 << 20

    /// What a process has in memory, in bytes.
    struct Size: Equatable {
        let files: Int
        let heap: Int

        /// - Parameter statm: sizes in pages, of which the second is what is resident, and the third what of it belongs to
        ///   files (proc(5)).
        init?(statm: String, pageSize: Int) {
            let fields = statm.split { $0 == " " || $0 == "\n" }.map { Int($0) }
            guard fields.count >= 3, let all = fields[1], let files = fields[2], all >= files else { return nil }
            self.files = files * pageSize
            heap = (all - files) * pageSize
        }
    }

    /// When memory is given back.
    struct Pace {
        /// How many bytes of files may be mapped.
        static let largestFiles = 12 << 20
        /// By how many bytes the heap may grow until it is looked through again.
        static let largestGrowth = 2 << 20

        private var heap = 0

        /// Looks at the heap. If it has grown by so much, there was work, and much of it may be free again.
        /// - Returns: whether it is to be given back.
        mutating func wantsHeap(_ size: Size) -> Bool {
            heap = min(heap, size.heap)
            return size.heap > heap + Self.largestGrowth
        }

        /// Whether code is to be given back.
        func wantsCode(_ size: Size) -> Bool { size.files > Self.largestFiles }

        mutating func gaveBackHeap(leaving size: Size) { heap = size.heap }
    }

    /// How many arenas the allocator keeps. By default it has eight for each processor, and small pieces in each of them keep
    /// pages that are free otherwise.
    private static let arenas: Int32 = 2

    /// To be called before there are many threads.
    static func begin() { mallopt(M_ARENA_MAX, arenas) }

    /// Returns only when the task is cancelled.
    /// - Parameter release: gives back what is kept in the heap to be quick.
    static func keepSmall(_ release: () async -> Void) async throws {
        try await Task.sleep(for: settling)
        var pace = Pace()
        while true {
            if let size = size() {
                if pace.wantsHeap(size) {
                    await release()
                    malloc_trim(0)
                    pace.gaveBackHeap(leaving: self.size() ?? size)
                }
                if pace.wantsCode(size) { releaseCode() }
            }
            try await Task.sleep(for: interval)
        }
    }

    /// Unmaps the pages of the program and its libraries that are as they are in the files.
    private static func releaseCode() {
        // The breakpoints of a debugger stand in such pages, and would be lost.
        guard let status = text(of: "/proc/self/status"), !isTraced(status),
            let maps = bytes(of: "/proc/self/maps")
        else { return }
        for range in code(in: maps) {
            // Where the kernel refuses, the pages only stay.
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
        }
    }

    /// Whether a debugger is attached to the process of this status (proc(5)).
    static func isTraced(_ status: String) -> Bool {
        status.split(separator: "\n").contains { $0.hasPrefix("TracerPid:") && !$0.hasSuffix("\t0") }
    }

    /// Where code of files is mapped that nobody may have changed.
    ///
    /// - Parameter maps: mappings, one a line (proc(5)). Pages that are or were writable hold what stands in no file.
    static func code(in maps: [UInt8]) -> [Range<UInt>] {
        // A node at rest does next to nothing else, and most lines are of something else.
        var ranges: [Range<UInt>] = []
        var start = 0
        while start < maps.count {
            let end = maps[start...].firstIndex(of: UInt8(ascii: "\n")) ?? maps.count
            if let range = code(of: maps[start..<end]) { ranges.append(range) }
            start = end + 1
        }
        return ranges
    }

    private static func code(of line: ArraySlice<UInt8>) -> Range<UInt>? {
        guard let blank = line.firstIndex(of: UInt8(ascii: " ")),
            line[(blank + 1)...].starts(with: Self.executable),
            let dash = line[..<blank].firstIndex(of: UInt8(ascii: "-")),
            let path = line.split(separator: UInt8(ascii: " "), maxSplits: 5).dropFirst(5).first,
            path.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "/"),
            let start = address(line[..<dash]), let end = address(line[(dash + 1)..<blank]), start < end
        else { return nil }
        return start..<end
    }

    /// Readable, executable, never writable, and not shared.
    private static let executable = Array("r-xp ".utf8)

    private static func address(_ digits: ArraySlice<UInt8>) -> UInt? {
        UInt(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func size() -> Size? {
        text(of: "/proc/self/statm").flatMap { Size(statm: $0, pageSize: sysconf(Int32(_SC_PAGESIZE))) }
    }

    private static func text(of path: String) -> String? {
        bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Returns: `nil` where the file cannot be read: then nothing is given back.
    private static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // The kernel makes these files while they are read; a line is never cut.
        while bytes.count < largestText {
            let more = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }
}
