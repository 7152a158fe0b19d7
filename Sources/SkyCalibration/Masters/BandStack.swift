internal import CCalibration
internal import ScanBasics

/// Combines the rows of a stack band by band.
final class BandStack {
    /// Rows of a band.
    let height: Int
    /// Whether scatter and counts are computed.
    let measures: Bool
    /// Scatter and number of values of the pixels of the last band.
    private(set) var scatter: [Float] = []
    private(set) var counts: [Int16] = []
    private let stack: OpenStack
    private let pixelStack: PixelStack
    private let slots: Slots
    private let width: Int
    /// The samples of all frames.
    private let memory: UnsafeMutableRawBufferPointer
    private let bias: UnsafeMutableBufferPointer<Float>?
    private let dark: UnsafeMutableBufferPointer<Float>?
    /// The row after those that the system was asked to read.
    private var expectedEnd = 0

    init(_ stack: OpenStack, _ request: StackRequest) {
        measures = request.writesCount || request.writesScatter
        pixelStack = PixelStack(request.method, frameCount: stack.frames.count, measures: measures)
        (self.stack, slots, width, height) = (stack, request.slots, stack.geometry.width, stack.bandHeight)
        let room = height * width
        memory = LargeMemory.allocate(byteCount: stack.frames.count * 4 * room)
        bias = stack.bias.map { _ in .allocate(capacity: room) }
        dark = stack.dark.map { _ in .allocate(capacity: room) }
    }

    deinit {
        LargeMemory.deallocate(memory)
        for buffer in [bias, dark].compactMap(\.self) { buffer.deallocate() }
    }

    /// Returns the combined pixels of rows.
    func combine(_ rows: Range<Int>) throws -> [Float] {
        if rows.upperBound > expectedEnd { expectedEnd = stack.expect(from: rows.lowerBound) }
        if let bias { try stack.bias?.read(rows: rows, into: bias) }
        if let dark { try stack.dark?.read(rows: rows, into: dark) }
        let room = memory.count / stack.frames.count
        let samples = try OpenStack.successes(
            slots.map(0..<stack.frames.count) { index in
                let own = UnsafeMutableRawBufferPointer(rebasing: memory[(index * room)...].prefix(room))
                return try stack.read(index, rows: rows, into: own)
            }
        )
        let corrections = stack.frames.indices.map { index in
            skyfarm_correction(
                bias: bias?.baseAddress.map { UnsafePointer($0) }, dark: dark?.baseAddress.map { UnsafePointer($0) },
                dark_factor: stack.darkFactors[index], divisor: stack.levels[index])
        }
        let count = rows.count * width
        scatter = [Float](repeating: 0, count: measures ? count : 0)
        counts = [Int16](repeating: 0, count: measures ? count : 0)
        let share = max(4096, (count + slots.count - 1) / slots.count)
        let parts = (count + share - 1) / share
        return try [Float](unsafeUninitializedCapacity: count) { pixels, initialized in
            initialized = count
            try scatter.withUnsafeMutableBufferPointer { scatter in
                try counts.withUnsafeMutableBufferPointer { counts in
                    let output = PixelStack.Output(pixels: pixels, scatter: scatter, counts: counts)
                    try slots.forEach(0..<parts) { part in
                        pixelStack.combine(
                            samples, corrections, part * share..<min((part + 1) * share, count), into: output)
                    }
                }
            }
        }
    }
}
