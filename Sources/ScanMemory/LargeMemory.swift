internal import Synchronization

/// Buffers for the pixels of a band: in huge pages where there are some, and used again if ``FreedMemory/keep()`` says so.
///
/// The C library gives buffers of more than 32 MiB back to the system at once, whatever it is told, and smaller ones of
/// all threads but the first with the region that they were in. To clear the pages of the next one takes half as long as
/// to read its pixels, in a virtual machine more than to receive them. Linux may take what is kept here whenever it is
/// short of memory, but for the ends of a buffer that are not a whole huge page: 4 MiB at most.
package enum LargeMemory {
    /// Buffers below this many bytes are the C library's business.
    private static let smallest = 8 << 20
    private static let free = Mutex(FreeBuffers(limit: 0))

    /// Memory for `byteCount` bytes, aligned to 64; what it holds is undefined.
    package static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let capacity = capacity(for: byteCount)
        if byteCount >= smallest, let kept = free.withLock({ $0.take(capacity) }) {
            return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: kept), count: byteCount)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
        HugePages.advise(memory)
        return UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    }

    /// Room for `count` elements of a trivial type.
    package static func allocate<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
        let memory = allocate(byteCount: count * MemoryLayout<Element>.stride).bindMemory(to: Element.self)
        guard let start = memory.baseAddress else { preconditionFailure("allocated memory has an address") }
        return start
    }

    /// Frees what ``allocate(byteCount:)`` returned.
    package static func deallocate(_ memory: UnsafeMutableRawBufferPointer) {
        guard memory.count >= smallest else { return memory.deallocate() }
        let address = UInt(bitPattern: memory.baseAddress)
        let buffer = FreeBuffers.Buffer(address: address, byteCount: capacity(for: memory.count))
        // Before others may get it.
        HugePages.offer(memory)
        free.withLock { $0.add(buffer) }.forEach(release)
    }

    /// Frees the room for `count` elements that ``allocate(_:)`` returned.
    package static func deallocate<Element>(_ start: UnsafeMutablePointer<Element>, _ count: Int) {
        deallocate(UnsafeMutableRawBufferPointer(start: start, count: count * MemoryLayout<Element>.stride))
    }

    /// Keeps up to `byteCount` bytes of freed buffers.
    static func keep(_ byteCount: Int) { free.withLock { $0.setLimit(byteCount) }.forEach(release) }

    /// Gives the kept buffers back to the system.
    static func giveBack() { free.withLock { $0.removeAll() }.forEach(release) }

    /// Bytes of freed buffers that are kept.
    static var keptByteCount: Int { free.withLock { $0.byteCount } }

    // A buffer serves requests of nearly its size: often bands with one halo as well as those with two.
    private static func capacity(for byteCount: Int) -> Int {
        if byteCount < smallest { return byteCount }
        let step = 1 << (byteCount.bitWidth - byteCount.leadingZeroBitCount - 3)
        return (byteCount + step - 1) / step * step
    }

    private static func release(_ buffer: FreeBuffers.Buffer) {
        UnsafeMutableRawPointer(bitPattern: buffer.address)?.deallocate()
    }
}
