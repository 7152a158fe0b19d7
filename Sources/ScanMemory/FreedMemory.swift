internal import CSkyfarm

/// What becomes of memory that is freed, in programs that scan.
package enum FreedMemory {
    /// Has the C library keep up to 128 MiB for each thread, and take buffers of up to 32 MiB from them, where it can be
    /// told so; of larger ones ``LargeMemory`` keeps 128 MiB. Else buffers go back to the system after each call, and
    /// their pages are asked for again in the next: 6 % of a scan.
    package static func keep() {
        skyfarm_keep_freed_memory(Int32(LargeMemory.smallest), 128 << 20)
        LargeMemory.keep(128 << 20)
    }

    /// Gives back to the system what was kept, when nothing is scanned for some time. Takes milliseconds.
    package static func giveBack() {
        LargeMemory.giveBack()
        skyfarm_give_back_freed_memory()
    }
}
