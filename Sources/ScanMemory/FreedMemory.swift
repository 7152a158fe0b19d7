internal import CSkyfarm

/// What becomes of memory that is freed, in programs that scan.
package enum FreedMemory {
    /// Has the C library keep up to 128 MiB for each thread, and take buffers of up to 32 MiB from them, where it can be
    /// told so; of those for pixels ``LargeMemory`` keeps as much as a node holds of an image, but an eighth of this
    /// machine's memory at most, and 128 MiB where the system may not take them. Else buffers go back to the system after
    /// each call, and their pages are asked for again in the next: 6 % of a scan, and 5 % more where the pixels come over
    /// the network.
    package static func keep() {
        skyfarm_keep_freed_memory(32 << 20, 128 << 20)
        LargeMemory.keep(HugePages.canBeOffered ? min(1 << 30, PhysicalMemory.byteCount / 8) : 128 << 20)
    }

    /// Gives back to the system what was kept, when nothing is scanned for some time. Takes the longer the more it is.
    package static func giveBack() {
        LargeMemory.giveBack()
        skyfarm_give_back_freed_memory()
    }
}
