#if canImport(Glibc)
    internal import Glibc
#endif

/// Transparent huge pages of 2 MiB for large buffers on Linux: one page fault instead of 512.
enum HugePages {
    private static let size: UInt = 2 << 20

    /// Advises huge pages for memory that will be written soon. Has no effect on small buffers.
    static func advise(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            advise(MADV_HUGEPAGE, about: memory)
        #endif
    }

    /// Whether ``offer(_:)`` has an effect on this system.
    static var canBeOffered: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Lets the system reclaim the pages of an unused buffer, with their content, when it runs short of memory.
    ///
    /// Pages not reclaimed before the buffer is written again need no clearing.
    static func offer(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            advise(MADV_FREE, about: memory)
        #endif
    }

    #if os(Linux)
        /// Applies `advice` to the huge pages that lie wholly in `memory`, so that none is split.
        private static func advise(_ advice: Int32, about memory: UnsafeMutableRawBufferPointer) {
            let start = (UInt(bitPattern: memory.baseAddress) + size - 1) / size * size
            let end = (UInt(bitPattern: memory.baseAddress) + UInt(memory.count)) / size * size
            guard start < end else { return }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), advice)
        }
    #endif
}
