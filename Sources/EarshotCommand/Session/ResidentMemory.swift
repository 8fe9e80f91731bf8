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
    /// Bytes of a file in /proc that are read. What is looked for stands at the beginning.
    private static let largestText = 4096

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
    ///
    /// A node at rest comes to about 20 MiB of code, most of it beside what it runs: the kernel maps what is around a page, too.
    /// To give code back, and to have it again, costs more than all else that such a node does, so it is done seldom, unless
    /// there is much.
    struct Pace {
        /// Code is given back at once when more bytes of files are mapped than this.
        static let largestFiles = 22 << 20
        /// It is also given back when there are more than this, and so many looks have passed since the last time.
        static let restingFiles = 12 << 20
        static let restingLooks = 30
        /// By how many bytes the heap may grow until it is looked through again.
        static let largestGrowth = 2 << 20

        private var heap = 0
        /// Looks since code was given back.
        private var looks = 0

        /// Looks at the heap. If it has grown by so much, there was work, and much of it may be free again.
        /// - Returns: whether it is to be given back.
        mutating func wantsHeap(_ size: Size) -> Bool {
            heap = min(heap, size.heap)
            return size.heap > heap + Self.largestGrowth
        }

        /// Looks at the code.
        /// - Returns: whether it is to be given back.
        mutating func wantsCode(_ size: Size) -> Bool {
            looks += 1
            guard size.files > (looks < Self.restingLooks ? Self.largestFiles : Self.restingFiles) else { return false }
            looks = 0
            return true
        }

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
        guard let status = text(of: "/proc/self/status"), !isTraced(status) else { return }
        LoadedFile.forEach { file in
            for range in file.unwritten {
                // Where the kernel refuses, the pages only stay.
                madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            }
        }
    }

    /// Whether a debugger is attached to the process of this status (proc(5)).
    static func isTraced(_ status: String) -> Bool {
        status.split(separator: "\n").contains { $0.hasPrefix("TracerPid:") && !$0.hasSuffix("\t0") }
    }

    private static func size() -> Size? {
        text(of: "/proc/self/statm").flatMap { Size(statm: $0, pageSize: sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// - Returns: `nil` where the file cannot be read: then nothing is given back.
    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel makes these files while they are read.
        return String(unsafeUninitializedCapacity: largestText) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
    }
}
