/// Bytes received and not yet consumed, in one buffer.
package struct InBuffer: ~Copyable {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var head = 0
    private var tail = 0

    package init() {}

    deinit { memory.deallocate() }

    package var count: Int { tail - head }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[head..<tail]) }

    /// Memory to receive into: at least `minimum` bytes, and any other free memory.
    package mutating func space(minimum: Int = 1 << 14) -> UnsafeMutableRawBufferPointer {
        if memory.count - tail < minimum {
            let waiting = count
            if waiting + minimum <= memory.count {
                memory.copyMemory(from: bytes)
            } else {
                let larger = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: max(memory.count * 2, waiting + minimum), alignment: 16)
                larger.copyMemory(from: bytes)
                memory.deallocate()
                memory = larger
            }
            (head, tail) = (0, waiting)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[tail...])
    }

    /// The first `count` bytes of ``space(minimum:)`` were received.
    package mutating func received(_ count: Int) { tail += count }

    /// Removes the first `count` bytes, and frees memory that a long frame needed.
    package mutating func consume(_ count: Int) {
        head += count
        guard head == tail else { return }
        (head, tail) = (0, 0)
        if memory.count > 1 << 22 {
            memory.deallocate()
            memory = .allocate(byteCount: 1 << 16, alignment: 16)
        }
    }
}
