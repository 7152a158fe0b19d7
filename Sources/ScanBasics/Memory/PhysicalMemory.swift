#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

package enum PhysicalMemory {
    /// Size of this machine's memory in bytes.
    package static var byteCount: Int { Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))) }
}
