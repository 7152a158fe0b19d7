#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The memory of this machine.
package enum PhysicalMemory {
    /// Its size in bytes.
    package static var byteCount: Int { Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))) }
}
