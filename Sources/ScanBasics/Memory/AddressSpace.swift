#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The address space of this process, limited by `ulimit -v`.
package enum AddressSpace {
    /// Limit in bytes; nil without a limit, or with one that no scan exceeds.
    package static var limit: Int? {
        #if canImport(Glibc)
            let resource = Int32(RLIMIT_AS.rawValue)
        #else
            let resource = RLIMIT_AS
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 1 << 46 else { return nil }
        return Int(limit.rlim_cur)
    }

    /// Remaining bytes; nil without a limit.
    package static var left: Int? {
        #if os(Linux)
            guard let limit, let file = fopen("/proc/self/statm", "re") else { return nil }
            defer { fclose(file) }
            // proc(5): the first number is the size of the program, in pages.
            var text = [CChar](repeating: 0, count: 64)
            guard fgets(&text, 64, file) != nil else { return nil }
            return max(0, limit - Int(strtol(text, nil, 10)) * Int(sysconf(Int32(_SC_PAGESIZE))))
        #else
            return nil
        #endif
    }
}
