internal import CCalibration
internal import Foundation
internal import ScanBasics
internal import SkyFITS

/// One image of all frames of a stack, open for reading.
final class OpenStack {
    let frames: [FramePixels]
    let bias: FramePixels?
    let dark: FramePixels?
    let geometry: FrameGeometry
    /// The level by which each frame is divided; 1 if it is not.
    private(set) var levels: [Double]
    /// By what the dark is multiplied for each frame.
    let darkFactors: [Double]
    private let masks: [ImageLocation: FramePixels]
    private let request: StackRequest
    private let slots: Slots

    /// Opens image number `index` of the frames.
    /// - Throws: ``FrameFailures`` with those that cannot be read or differ from the first; errors about bias, dark or
    ///   masks.
    init(_ request: StackRequest, _ images: [FrameImages], masters: Masters, index: Int) throws {
        self.request = request
        slots = request.slots
        let findsMedian =
            request.scale == .median && masters.bias == nil && masters.dark == nil && request.masks.isEmpty
        let opened = slots.map(0..<images.count) {
            try FramePixels(images[$0].location(of: index), findsMedian: findsMedian)
        }
        let frames = try Self.successes(opened)
        let geometry = FrameGeometry(width: frames[0].width, height: frames[0].height, cards: frames[0].cards)
        try Self.checkGeometry(frames, geometry)
        (self.frames, self.geometry) = (frames, geometry)
        let place = images[0].place(of: index)
        try Self.checkPlaces(images, index, masters, masks: request.masks)
        bias = try masters.bias?.pixels(at: place, for: geometry)
        dark = try masters.dark?.pixels(at: place, for: geometry)
        darkFactors = try Self.darkFactors(frames, bias: bias, dark: dark, request.darkScale)
        var masks: [ImageLocation: FramePixels] = [:]
        for location in Set(request.masks.joined()) {
            masks[location] = try MasterFile(location, role: "mask").pixels(at: place, for: geometry)
        }
        self.masks = masks
        levels = Array(repeating: 1, count: frames.count)
    }

    /// Returns the results, unless one is an error.
    static func successes<Value>(_ results: [Result<Value, any Error>]) throws -> [Value] {
        let reasons = results.compactMap { result in
            if case .failure(let error) = result { "\(error)" } else { nil }
        }
        if !reasons.isEmpty { throw FrameFailures(reasons) }
        return try results.map { try $0.get() }
    }

    private static func checkGeometry(_ frames: [FramePixels], _ geometry: FrameGeometry) throws {
        let reasons = frames.compactMap { frame -> String? in
            let own = FrameGeometry(width: frame.width, height: frame.height, cards: frame.cards)
            return geometry.difference(of: own).map {
                "\(frame.location): \($0) as \(frames[0].location); combine frames of one kind"
            }
        }
        if !reasons.isEmpty { throw FrameFailures(reasons) }
    }

    /// Each image of a master belongs to one place in the files of the frames.
    private static func checkPlaces(
        _ images: [FrameImages], _ index: Int, _ masters: Masters, masks: [[ImageLocation]]
    ) throws {
        let place = images[0].place(of: index)
        let others = images.filter { $0.place(of: index).inFile != place.inFile }
        guard !others.isEmpty else { return }
        let files =
            [masters.bias, masters.dark].compactMap(\.self)
            + (try Set(masks.joined()).map { try MasterFile($0, role: "mask") })
        guard let several = files.first(where: { $0.count > 1 }) else { return }
        throw FrameFailures(
            others.map {
                "\($0.location(of: index)): is image \($0.place(of: index).inFile + 1) of its file, not "
                    + "\(place.inFile + 1) as \(images[0].location(of: index)); \(several.name) has "
                    + "\(several.count) images, of which one belongs to each place"
            })
    }

    /// Checks that the masters have what the frames have, and finds by what the dark is multiplied.
    private static func darkFactors(
        _ frames: [FramePixels], bias: FramePixels?, dark: FramePixels?, _ scale: DarkScale
    ) throws -> [Double] {
        let (biasLevels, darkLevels) = (bias.map(Self.levels), dark.map(Self.levels))
        let summary = dark?.summary
        let first = DoneSteps(frames[0].cards)
        return try successes(
            frames.map { frame in
                Result {
                    let done = DoneSteps(frame.cards)
                    try requireSame(done, first, frame.location, as: frames[0].location)
                    var check = LevelCheck(frame: frame.location, done: done, bias: biasLevels, dark: darkLevels)
                    check.overscanRemedy = "calibrate the frames with --overscan auto before they are combined"
                    let lacksLevel = try check.check()
                    guard let summary else { return 1 }
                    return try ExposureTime.factor(
                        of: summary, lacksLevel: lacksLevel, for: (frame.location, frame.exposure), scale)
                }
            })
    }

    /// The facts of a master that decide whether it fits frames; its pixels are read once, if they are needed.
    private static func levels(_ master: FramePixels) -> LevelCheck.Master {
        var known: Double??
        return LevelCheck.Master(name: master.location, steps: DoneSteps(master.cards)) {
            if let known { return known }
            let level = try master.readAll().withUnsafeBufferPointer { FrameLevel.median(of: $0) }
            known = .some(level)
            return level
        }
    }

    /// - Throws: ``ScanSetupError`` if a step was done with one of two frames only.
    private static func requireSame(
        _ done: DoneSteps, _ others: DoneSteps, _ frame: ImageLocation, as other: ImageLocation
    ) throws(ScanSetupError) {
        for step in DoneSteps.Step.allCases where (done[step] == nil) != (others[step] == nil) {
            let (name, card) = (step.rawValue, done[step] ?? others[step] ?? "")
            let words =
                done[step] != nil
                ? "was calibrated by \(name), as its card \(card) tells, but \(other) was not"
                : "was not calibrated by \(name), as \(other) was by its card \(card)"
            throw ScanSetupError("\(frame): \(words); combine frames of one kind")
        }
    }

    // MARK: - Levels

    /// Finds the level of each frame.
    /// - Throws: ``FrameFailures`` with the frames without a level above 0.
    func findLevels(_ onFrame: (Int) throws -> Void) throws {
        guard request.scale != .none else { return }
        let constant = try MasterSamples(bias: bias, dark: dark)
        levels = try Self.successes(
            slots.map(0..<frames.count) { index in
                let level = try level(of: index, constant)
                guard let level, level > 0, level.isFinite else {
                    let words = level.map { "\($0)" } ?? "none, as all pixels are masked"
                    throw ScanSetupError(
                        "\(frames[index].location): its \(request.scale.name) is \(words): "
                            + "a frame can only be divided by a level above 0")
                }
                try onFrame(index)
                return level
            })
    }

    private func level(of index: Int, _ masters: MasterSamples) throws -> Double? {
        if case .keyword(let keyword) = request.scale {
            guard let number = frames[index].cards.value(keyword)?.number else {
                throw ScanSetupError(
                    "\(frames[index].location): has no number in the card \(keyword); name another with --scale")
            }
            return number
        }
        if let median = frames[index].median { return median }
        let count = geometry.width * geometry.height
        let memory = LargeMemory.allocate(byteCount: 4 * count)
        defer { LargeMemory.deallocate(memory) }
        let samples = try read(index, rows: 0..<geometry.height, into: memory)
        let correction = masters.correction(darkFactor: darkFactors[index], divisor: 1)
        return withExtendedLifetime(masters) {
            (request.scale == .mean ? FrameLevel.mean : .median).of(count: count) { range, values in
                _ = skyfarm_stack_values(samples, correction, range.lowerBound, range.count, values)
            }
        }
    }

    // MARK: - Bands

    /// Bytes that are asked of the system at a time before they are read, since bands are small beside what a disk reads
    /// without moving its head.
    private static let expectedSize = 128 << 20

    /// Asks the system to read rows of all frames ahead.
    /// - Returns: the row after the last one of these.
    func expect(from row: Int) -> Int {
        let count = max(1, Self.expectedSize / (4 * geometry.width * frames.count))
        let end = min(geometry.height, row + max(count, bandHeight))
        for frame in frames { frame.expect(rows: row..<end) }
        return end
    }

    /// Rows of a band, so that the pixels of all frames and masters fit the memory for them.
    var bandHeight: Int {
        let images = frames.count + (bias == nil ? 0 : 1) + (dark == nil ? 0 : 1)
        return min(geometry.height, max(1, request.bandSize / (4 * geometry.width * images)))
    }

    /// Reads rows of a frame into memory with room for them as floats; masked pixels become NaN.
    func read(_ index: Int, rows: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws -> skyfarm_samples {
        let count = rows.count * geometry.width
        if request.masks.isEmpty, let scale = frames[index].shorts {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<(2 * count)])
            try frames[index].readStored(rows: rows, into: bytes)
            return skyfarm_samples(floats: nil, shorts: bytes.baseAddress, scale: scale)
        }
        let pixels = UnsafeMutableBufferPointer(rebasing: memory.bindMemory(to: Float.self)[..<count])
        try frames[index].read(rows: rows, into: pixels)
        try mask(pixels, of: index, rows: rows)
        return skyfarm_samples(floats: pixels.baseAddress, shorts: nil, scale: skyfarm_short_scale())
    }

    /// A mask may belong to several frames, which are read side by side.
    private let maskLock = NSLock()

    private func mask(_ pixels: UnsafeMutableBufferPointer<Float>, of index: Int, rows: Range<Int>) throws {
        guard !request.masks.isEmpty else { return }
        var samples = [Float](repeating: 0, count: rows.count * geometry.width)
        for location in request.masks[index] {
            try maskLock.withLock {
                try samples.withUnsafeMutableBufferPointer { try masks[location]?.read(rows: rows, into: $0) }
            }
            for place in samples.indices where samples[place] != 0 { pixels[place] = .nan }
        }
    }
}
