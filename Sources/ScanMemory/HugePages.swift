#if canImport(Glibc)
    internal import Glibc
#endif

/// Pages of 2 MiB for large buffers, where the system has them: one page fault instead of 512.
enum HugePages {
    private static let size: UInt = 2 << 20

    /// Asks for huge pages for memory that will be written soon; only advice, and none for small buffers.
    static func advise(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            // Without them the buffer has small pages: no harm.
            give(MADV_HUGEPAGE, about: memory)
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

    /// Lets the system take the pages of a buffer that nobody needs, and what is in them, if it runs short of memory.
    ///
    /// Pages that are still there when the buffer is written again need no clearing.
    static func offer(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            give(MADV_FREE, about: memory)
        #endif
    }

    #if os(Linux)
        /// Tells the system about the huge pages that lie in `memory` as a whole: none is split.
        private static func give(_ advice: Int32, about memory: UnsafeMutableRawBufferPointer) {
            let start = (UInt(bitPattern: memory.baseAddress) + size - 1) / size * size
            let end = (UInt(bitPattern: memory.baseAddress) + UInt(memory.count)) / size * size
            guard start < end else { return }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), advice)
        }
    #endif
}
