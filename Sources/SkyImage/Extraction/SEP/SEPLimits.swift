internal import CSEP
internal import Foundation

/// libsep's two process-wide limits. They are only ever raised, and never while an extraction is under way: libsep reads
/// the limit on sub-objects again and again and takes it for the size of memory that it allocated at the beginning.
package enum SEPLimits {
    // libsep's status codes of the two limits.
    private static let pixelStackFull: Int32 = 2
    private static let deblendOverflow: Int32 = 7
    // Every call of sep_extract initialises the whole stack: a large one costs more than a rare second try.
    private static let first = Limits(pixelStack: 400_000, subObjects: 8192)
    // libsep numbers the sub-objects of a level by 16-bit integers; a greater limit leads it out of its arrays.
    private static let mostSubObjects: Int32 = 1 << 15
    // libsep counts the bytes of its pixel lists, 28 per pixel, in 32-bit integers. Up to the second number of pixels a
    // count that overflows is negative, which libsep reports as a lack of memory; beyond it, memory would be too small.
    private static let mostStackPixels = Int(Int32.max) / 28
    /// Most pixels of an extraction.
    static let mostPixels = Int(UInt32.max) / 28
    private static let gate = LimitGate()

    /// Runs `extract` until it does not fail for want of room, in a window of `pixelCount` pixels.
    /// - Throws: ``SEPError`` for every other failure, or when the limits cannot be raised further.
    static func withRoom(pixelCount: Int, _ extract: () -> Int32) throws(SEPError) {
        var used = gate.raise(to: first)
        let mostStack = min(pixelCount + 2, mostStackPixels)
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

    /// Raises the limit on sub-objects to at least `count`; waits for extractions under way.
    static func raise(subObjects count: Int32) { _ = gate.raise(to: Limits(pixelStack: 0, subObjects: count)) }

    /// Threads that wait until they can raise a limit.
    static var waiting: Int { gate.waiting }
}

private struct Limits {
    var pixelStack = 0
    var subObjects: Int32 = 0
}

/// Lets extractions run side by side, and sets libsep's limits when none does.
private final class LimitGate: @unchecked Sendable {
    // Sendable: all that changes is read and written only while `condition` is locked.
    private let condition = NSCondition()
    private var limits = Limits()
    private var running = 0
    private var raising = 0

    var waiting: Int { condition.withLock { raising } }

    func run(_ extract: () -> Int32) -> Int32 {
        condition.withLock {
            // Who wants to raise a limit goes first, or extractions that overlap would hold it up for ever.
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
