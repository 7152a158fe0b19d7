internal import CCalibration

/// The values that frames have at some pixels, in rows of one frame each, and memory for what is computed of them.
final class StackTile {
    let values: UnsafeMutablePointer<Double>
    /// Room for sorted values.
    let sorted: UnsafeMutablePointer<Double>
    let columns: UnsafeMutablePointer<skyfarm_columns>
    /// Room for the numbers of columns.
    let rejecting: UnsafeMutablePointer<Int32>
    /// Number of pixels.
    var width: Int

    /// Values beyond the last that vectors of columns reach; they are not used.
    private static let margin = 16

    init(frameCount: Int, width: Int) {
        let room = frameCount * width + Self.margin
        values = .allocate(capacity: room)
        (values + room - Self.margin).initialize(repeating: 0, count: Self.margin)
        sorted = .allocate(capacity: room)
        columns = .allocate(capacity: 1)
        rejecting = .allocate(capacity: width)
        self.width = width
    }

    deinit {
        values.deallocate()
        sorted.deallocate()
        columns.deallocate()
        rejecting.deallocate()
    }
}

/// Pixels of which values are rejected. They are few, and gathered in a tile of their own, so that all others are done
/// after one round.
final class RejectingPixels {
    /// Where the results go, until they are written to their pixels.
    let output: PixelStack.Output
    /// The pixel of each column.
    private(set) var pixels: [Int] = []
    /// The rows have room for as many columns as the tile has at most.
    private let tile: StackTile
    private let frameCount: Int
    private let capacity: Int

    init(frameCount: Int, capacity: Int, measures: Bool) {
        (self.frameCount, self.capacity) = (frameCount, capacity)
        tile = StackTile(frameCount: frameCount, width: capacity)
        output = PixelStack.Output(
            pixels: .allocate(capacity: capacity), scatter: measures ? .allocate(capacity: capacity) : nil,
            counts: measures ? .allocate(capacity: capacity) : nil)
    }

    deinit {
        output.pixels.deallocate()
        output.scatter?.deallocate()
        output.counts?.deallocate()
    }

    var isFull: Bool { pixels.count == capacity }

    /// Adds a column of a tile, which has the values of `pixel`.
    func add(_ column: Int, of other: StackTile, pixel: Int) {
        for row in 0..<frameCount {
            tile.values[row * capacity + pixels.count] = other.values[row * other.width + column]
        }
        pixels.append(pixel)
    }

    /// The tile of the pixels, whose rows have no room for others any more.
    func closedTile() -> StackTile {
        tile.width = pixels.count
        for row in 1..<max(1, frameCount) {
            (tile.values + row * tile.width).update(from: tile.values + row * capacity, count: tile.width)
        }
        return tile
    }

    /// Makes room for other pixels.
    func removeAll() { pixels.removeAll(keepingCapacity: true) }
}
