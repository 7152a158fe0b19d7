internal import CSkyfarm

/// What becomes of memory that is freed, in programs that scan.
package enum FreedMemory {
    /// Has the C library keep up to 128 MiB for each thread, and take buffers of up to 32 MiB from them. Else libsep's
    /// buffers go back to the system after each call, and their pages are asked for again in the next: 4 % of a scan.
    package static func keep() { skyfarm_keep_freed_memory(32 << 20, 128 << 20) }

    /// Gives back to the system what was kept, when nothing is scanned for some time. Takes milliseconds.
    package static func giveBack() { skyfarm_give_back_freed_memory() }
}
