internal import CSEP
internal import Foundation

/// libsep's two process-wide limits. They are only raised, and never during an extraction: libsep reads the limit on
/// sub-objects repeatedly and takes it for the size of memory that it allocated at the start.
package enum SEPLimits {
    // libsep's status codes of the two limits.
    private static let pixelStackFull: Int32 = 2
    private static let deblendOverflow: Int32 = 7
    // Every call of sep_extract initialises the whole stack: a large stack costs more than an occasional second try.
    private static let first = Limits(pixelStack: 400_000, subObjects: 8192)
    // libsep numbers the sub-objects of a level by 16-bit integers; with a greater limit it would access memory out of
    // bounds.
    private static let mostSubObjects: Int32 = 1 << 15
    // libsep counts the bytes of its pixel lists, 28 per pixel, in 32-bit integers. Up to `mostPixels` an overflowing
    // count is negative, which libsep reports as out of memory; beyond it, the allocation would be too small.
    private static let mostStackPixels = Int(Int32.max) / 28
    /// Most pixels of a window that is extracted.
    static let mostPixels = Int(UInt32.max) / 28
    private static let gate = LimitGate()

    /// Runs `extract` until it no longer fails because a limit is too low, in a window of `pixelCount` pixels.
    /// - Throws: ``SEPError`` for every other failure, or if the limits cannot be raised further.
    package static func withRoom(pixelCount: Int, _ extract: () -> Int32) throws(SEPError) {
        let mostStack = min(pixelCount + 2, mostStackPixels)
        // Less for a small window, as long as no larger one was extracted: the stack's pages cost more than its pixels.
        var used = gate.raise(
            to: Limits(pixelStack: min(first.pixelStack, mostStack), subObjects: first.subObjects))
        while true {
            let status = gate.run(extract)
            switch status {
            case pixelStackFull where used.pixelStack < mostStack:
                used.pixelStack = min(used.pixelStack * 4, mostStack)
            case deblendOverflow where used.subObjects < mostSubObjects:
                used.subObjects *= 4
            default:
                return try SEPError.check(status)
            }
            used = gate.raise(to: used)
        }
    }

    /// Raises the limit on sub-objects to at least `count`; waits for running extractions.
    package static func raise(subObjects count: Int32) { _ = gate.raise(to: Limits(pixelStack: 0, subObjects: count)) }

    /// Number of threads waiting to raise a limit.
    package static var waiting: Int { gate.waiting }
}

private struct Limits {
    var pixelStack = 0
    var subObjects: Int32 = 0
}

/// Lets extractions run concurrently, and sets libsep's limits only while none is running.
private final class LimitGate: @unchecked Sendable {
    // Sendable: all mutable state is accessed only with `condition` locked.
    private let condition = NSCondition()
    private var limits = Limits()
    private var running = 0
    private var raising = 0

    var waiting: Int { condition.withLock { raising } }

    func run(_ extract: () -> Int32) -> Int32 {
        condition.withLock {
            // Threads that raise a limit take precedence; otherwise overlapping extractions would block them forever.
            while raising > 0 { condition.wait() }
            running += 1
        }
        defer {
            condition.withLock {
                running -= 1
                if running == 0 { condition.broadcast() }
            }
        }
        return extract()
    }

    /// - Returns: the limits, at least as high as `wanted`.
    func raise(to wanted: Limits) -> Limits {
        condition.withLock {
            guard wanted.pixelStack > limits.pixelStack || wanted.subObjects > limits.subObjects else { return limits }
            raising += 1
            while running > 0 { condition.wait() }
            limits.pixelStack = max(limits.pixelStack, wanted.pixelStack)
            limits.subObjects = max(limits.subObjects, wanted.subObjects)
            sep_set_extract_pixstack(limits.pixelStack)
            sep_set_sub_object_limit(limits.subObjects)
            raising -= 1
            condition.broadcast()
            return limits
        }
    }
}
