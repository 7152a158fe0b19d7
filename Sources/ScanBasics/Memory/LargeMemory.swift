internal import Synchronization

/// Allocator of buffers for a band's pixels: uses huge pages where available, and reuses buffers after
/// ``FreedMemory/keep()``.
///
/// glibc unmaps buffers of more than 32 MiB at once, whatever its settings, and smaller ones of all threads but the
/// first together with their arena. Clearing the pages of the next buffer takes half as long as reading its pixels; in
/// a virtual machine longer than receiving them. Linux can reclaim the buffers kept here when it is short of memory,
/// except for the ends that do not fill a huge page: 4 MiB per buffer at most.
package enum LargeMemory {
    /// Buffers smaller than this, in bytes, are left to malloc.
    private static let smallest = 8 << 20
    private static let free = Mutex(FreeBuffers(limit: 0))

    /// Allocates `byteCount` bytes of uninitialised memory, aligned to 64 bytes.
    package static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let capacity = capacity(for: byteCount)
        if byteCount >= smallest, let kept = free.withLock({ $0.take(capacity) }) {
            return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: kept), count: byteCount)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
        HugePages.advise(memory)
        return UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    }

    /// Allocates uninitialised memory for `count` elements of a trivial type.
    package static func allocate<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
        let memory = allocate(byteCount: count * MemoryLayout<Element>.stride).bindMemory(to: Element.self)
        guard let start = memory.baseAddress else { preconditionFailure("allocated memory has an address") }
        return start
    }

    /// Frees memory returned by ``allocate(byteCount:)``.
    package static func deallocate(_ memory: UnsafeMutableRawBufferPointer) {
        guard memory.count >= smallest else { return memory.deallocate() }
        let address = UInt(bitPattern: memory.baseAddress)
        let buffer = FreeBuffers.Buffer(address: address, byteCount: capacity(for: memory.count))
        // The buffer is offered before another thread can take it.
        HugePages.offer(memory)
        free.withLock { $0.add(buffer) }.forEach(release)
    }

    /// Frees the memory for `count` elements returned by ``allocate(_:)``.
    package static func deallocate<Element>(_ start: UnsafeMutablePointer<Element>, _ count: Int) {
        deallocate(UnsafeMutableRawBufferPointer(start: start, count: count * MemoryLayout<Element>.stride))
    }

    /// Keeps freed buffers of up to `byteCount` bytes in total.
    package static func keep(_ byteCount: Int) { free.withLock { $0.setLimit(byteCount) }.forEach(release) }

    /// Returns the kept buffers to the system.
    package static func giveBack() { free.withLock { $0.removeAll() }.forEach(release) }

    /// Total size of the kept buffers in bytes.
    package static var keptByteCount: Int { free.withLock { $0.byteCount } }

    // Rounds up, so that a buffer can be reused for similar sizes, such as bands with one halo and with two.
    private static func capacity(for byteCount: Int) -> Int {
        if byteCount < smallest { return byteCount }
        let step = 1 << (byteCount.bitWidth - byteCount.leadingZeroBitCount - 3)
        return (byteCount + step - 1) / step * step
    }

    private static func release(_ buffer: FreeBuffers.Buffer) {
        UnsafeMutableRawPointer(bitPattern: buffer.address)?.deallocate()
    }
}
