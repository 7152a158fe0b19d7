internal import CSEP
internal import Synchronization

/// libsep's two process-wide limits. They are only ever raised, so that a scan on another thread never loses room.
package enum SEPLimits {
    private struct State {
        var pixelStack = 0
        var subObjects: Int32 = 0
    }

    private static let state = Mutex(State())

    // libsep's status codes of the two limits.
    private static let pixelStackFull: Int32 = 2
    private static let deblendOverflow: Int32 = 7
    // Every call of sep_extract initialises the whole stack: a large one costs more than a rare second try.
    private static let firstPixelStack = 400_000
    private static let firstSubObjects: Int32 = 8192
    private static let mostSubObjects: Int32 = 1 << 22

    /// Runs `extract` until it does not fail for want of room, in a window of `pixelCount` pixels.
    /// - Throws: ``SEPError`` for every other failure, or when the limits cannot be raised further.
    static func withRoom(pixelCount: Int, _ extract: () -> Int32) throws(SEPError) {
        var used = raise(pixelStack: firstPixelStack, subObjects: firstSubObjects)
        while true {
            let status = extract()
            switch status {
            case pixelStackFull where used.pixelStack < pixelCount + 2:
                used = raise(pixelStack: min(used.pixelStack * 4, pixelCount + 2), subObjects: used.subObjects)
            case deblendOverflow where used.subObjects < mostSubObjects:
                used = raise(pixelStack: used.pixelStack, subObjects: used.subObjects * 4)
            default:
                return try SEPError.check(status)
            }
        }
    }

    private static func raise(pixelStack: Int, subObjects: Int32) -> State {
        state.withLock { state in
            if pixelStack > state.pixelStack {
                state.pixelStack = pixelStack
                sep_set_extract_pixstack(pixelStack)
            }
            if subObjects > state.subObjects {
                state.subObjects = subObjects
                sep_set_sub_object_limit(subObjects)
            }
            return state
        }
    }
}
