import ScanDiscovery

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads and descriptors of this process.
struct Holdings: Equatable, CustomStringConvertible {
    var threads: Int
    var descriptors: Int

    static func now() -> Holdings {
        Holdings(threads: entries(of: "/proc/self/task"), descriptors: entries(of: "/proc/self/fd"))
    }

    var description: String { "\(threads) threads \(descriptors) descriptors" }

    private static func entries(of folder: String) -> Int {
        guard let handle = opendir(folder) else { return -1 }
        defer { closedir(handle) }
        return sequence(state: handle, next: { readdir($0) }).reduce(0) { count, _ in count + 1 }
    }
}

extension DiscoveryProbe {
    /// Announces, browses, resolves and releases, `count` times, and reports leaked threads and descriptors.
    static func cycle(_ count: Int) async {
        let source = DNSServiceDiscovery()
        do {
            try await cycle(source, 0..<20)
            let before = settled()
            say("before \(before)")
            try await cycle(source, 20..<20 + count)
            say("busy \(Holdings.now())")
            let after = settled(until: before)
            say("after \(after)")
            say(before == after ? "equal" : "unequal")
        } catch {
            say("failed \(error)")
        }
    }

    /// Twenty at a time, since an announcement takes almost a second.
    private static func cycle(_ source: DNSServiceDiscovery, _ numbers: Range<Int>) async throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 20) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in first..<min(first + 20, numbers.upperBound) {
                    group.addTask { try await once(source, number) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func once(_ source: DNSServiceDiscovery, _ number: Int) async throws {
        let service = advertisement("cycle\(number)-", 4000)
        var registration = source.register(service).makeAsyncIterator()
        _ = try await registration.next()
        for try await event in source.browse() {
            guard case .added(let instance) = event, instance.name == service.name else { continue }
            for try await resolved in source.resolve(instance) {
                for try await _ in source.addresses(of: resolved.host, interface: instance.interface) { break }
                break
            }
            break
        }
    }

    /// The holdings after idle threads have ended: when they equal `expected`, or have not changed for 8 s. It blocks in
    /// sleep: a Dispatch timer would keep idle threads alive.
    private static func settled(until expected: Holdings? = nil) -> Holdings {
        var last = Holdings.now()
        var unchanged = 0
        while unchanged < 80, last != expected {
            usleep(100_000)
            let now = Holdings.now()
            unchanged = now == last ? unchanged + 1 : 0
            last = now
        }
        return last
    }
}
