internal import CSkyfarm

/// What becomes of memory that is freed.
package enum FreedMemory {
    /// Has the process keep up to 128 MiB of it, with buffers of up to 32 MiB, for programs that scan. Else libsep's buffers go
    /// back to the system after each call, and their pages are asked for again in the next: 4 % of a scan.
    package static func keep() { skyfarm_keep_freed_memory(32 << 20, 128 << 20) }
}
