#if canImport(Glibc)
    internal import Glibc
#endif

/// Pages of 2 MiB for large buffers, where the system has them: one page fault instead of 512.
enum HugePages {
    private static let size: UInt = 2 << 20

    /// Asks for huge pages for memory that will be written soon; only advice, and none for small buffers.
    static func advise(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            let start = (UInt(bitPattern: memory.baseAddress) + size - 1) / size * size
            let end = (UInt(bitPattern: memory.baseAddress) + UInt(memory.count)) / size * size
            guard start < end else { return }
            // Without them the buffer has small pages: no harm.
            _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE)
        #endif
    }
}
