internal import CSystem

/// Policy for freed memory in processes that scan: it is kept for the next band instead of returned to the system.
package enum FreedMemory {
    /// Keeps freed memory for reuse.
    ///
    /// On glibc, malloc keeps up to 128 MiB per thread and serves buffers of up to 32 MiB from it. ``LargeMemory``
    /// keeps pixel buffers: up to 1 GiB, but at most an eighth of the physical memory; 128 MiB where the system cannot
    /// reclaim them. Otherwise every buffer is unmapped after use and its pages are faulted in again: 6 % of a scan's
    /// time, and 5 % more where the pixels arrive over the network.
    package static func keep() {
        skyfarm_keep_freed_memory(32 << 20, 128 << 20)
        LargeMemory.keep(HugePages.canBeOffered ? min(1 << 30, PhysicalMemory.byteCount / 8) : 128 << 20)
    }

    /// Returns memory kept by malloc to the system, but not the pixel buffers. Meant for processes that run for months.
    /// Takes milliseconds.
    package static func trim() { skyfarm_give_back_freed_memory() }

    /// Makes all threads that start from now on allocate from one malloc arena, for a process that scans for months.
    /// With one arena per thread, memory that one thread allocates and another frees leaves gaps in each arena: while
    /// watching 10,000 files, the smallest memory use rose from 30 to 33 MB in the last two thirds; with one arena it
    /// stays at 19 MB, in the same time.
    package static func useOneArena() { skyfarm_use_one_arena() }

    /// Returns the kept memory to the system when the process is idle. Takes time proportional to its size.
    package static func giveBack() {
        LargeMemory.giveBack()
        skyfarm_give_back_freed_memory()
    }
}
