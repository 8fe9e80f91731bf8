import CLinuxMemory
import Glibc

/// The program, or a library that it has loaded (dl_iterate_phdr(3)).
struct LoadedFile {
    private let base: UInt
    private let segments: UnsafeBufferPointer<Elf64_Phdr>

    /// Calls `body` with each of them. Meanwhile none is loaded or unloaded.
    static func forEach(_ body: (LoadedFile) -> Void) {
        withoutActuallyEscaping(body) { body in
            withUnsafePointer(to: body) { body in
                _ = clinuxmemory_each_file(
                    { file, _, body in
                        guard let file, let file = LoadedFile(file.pointee) else { return 0 }
                        body?.assumingMemoryBound(to: ((LoadedFile) -> Void).self).pointee(file)
                        return 0
                    }, UnsafeMutableRawPointer(mutating: body))
            }
        }
    }

    /// - Returns: `nil` for what the kernel gives and is in no file (vdso(7)).
    private init?(_ file: clinuxmemory_file) {
        base = UInt(file.base)
        guard base != getauxval(UInt(AT_SYSINFO_EHDR)), let first = file.segments else { return nil }
        segments = UnsafeBufferPointer(start: first, count: Int(file.segment_count))
    }

    /// Whether the loader has written into its code, too.
    private var isCodeRelocated: Bool {
        guard let dynamic = segments.first(where: { $0.p_type == PT_DYNAMIC }),
            var entry = UnsafePointer<Elf64_Dyn>(bitPattern: base + UInt(dynamic.p_vaddr))
        else { return false }
        while entry.pointee.d_tag != DT_NULL {
            if entry.pointee.d_tag == DT_TEXTREL { return true }
            if entry.pointee.d_tag == DT_FLAGS, entry.pointee.d_un.d_val & UInt64(DF_TEXTREL) != 0 { return true }
            entry += 1
        }
        return false
    }

    /// The whole pages of its code and constants, which nobody writes to. What the loader writes, and protects then, lies in
    /// segments that can be written to, and is not among them.
    var unwritten: [Range<UInt>] {
        guard !isCodeRelocated else { return [] }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        return segments.compactMap { segment in
            guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { return nil }
            let start = base + UInt(segment.p_vaddr)
            let (first, last) = ((start + page - 1) / page * page, (start + UInt(segment.p_filesz)) / page * page)
            return first < last ? first..<last : nil
        }
    }
}
