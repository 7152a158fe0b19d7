#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The processors that a process may use, and the running kernel to which they belong. Containers and network
/// namespaces of one machine share a kernel; virtual machines have their own.
public struct ProcessorShare: Codable, Hashable, Sendable {
    /// Identity of the running kernel, chosen when it booted.
    public var kernel: String
    /// A bit mask of the processors that the process may use, from processor 0; empty if it may use all, or if unknown.
    public var processors: [UInt64]

    /// Creates a share of a kernel's processors; an empty mask stands for all.
    public init(kernel: String, processors: [UInt64] = []) {
        (self.kernel, self.processors) = (kernel, processors)
    }

    /// Number of processors; nil if the process may use all, or if unknown.
    public var count: Int? {
        let count = processors.reduce(0) { $0 + $1.nonzeroBitCount }
        return count == 0 ? nil : count
    }

    /// Whether both shares have a processor in common.
    public func overlaps(_ other: ProcessorShare) -> Bool {
        guard kernel == other.kernel else { return false }
        if processors.isEmpty || other.processors.isEmpty { return true }
        return zip(processors, other.processors).contains { $0 & $1 != 0 }
    }

    /// Parses a mask as Linux prints it: groups of 32 bits in hexadecimal digits, the highest first.
    /// - Returns: the bits, or nil if the text is not a mask.
    package static func processors(mask: some StringProtocol) -> [UInt64]? {
        var words: [UInt64] = []
        for (place, group) in mask.split(separator: ",").reversed().enumerated() {
            guard let bits = UInt32(group, radix: 16) else { return nil }
            if place % 2 == 0 { words.append(UInt64(bits)) } else { words[place / 2] |= UInt64(bits) << 32 }
        }
        return words.isEmpty ? nil : words
    }

    /// The share of this process; nil if the system does not report the kernel's identity.
    public static let own: ProcessorShare? = {
        guard let kernel, !kernel.isEmpty else { return nil }
        return ProcessorShare(kernel: kernel, processors: allowedProcessors)
    }()

    #if canImport(Darwin)
        private static var kernel: String? {
            var bytes = [CChar](repeating: 0, count: 64)
            var size = bytes.count - 1
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        private static var allowedProcessors: [UInt64] { [] }
    #else
        private static var kernel: String? {
            text(of: "/proc/sys/kernel/random/boot_id").map { String($0.prefix { !$0.isWhitespace }) }
        }

        private static var allowedProcessors: [UInt64] {
            let name = "Cpus_allowed:"
            let line = text(of: "/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { processors(mask: $0.dropFirst(name.count).drop(while: \.isWhitespace)) } ?? []
        }

        private static func text(of path: String) -> String? {
            guard let file = fopen(path, "re") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = fread(&bytes, 1, bytes.count, file)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    #endif
}
