internal import CNumbers

/// Encodes blocks of floats that are scaled integers, such as calibrated samples of 16 bits: as the integers, and the scale
/// that gives each float back to the bit. A float that is none, be it -0 or no number, is kept as it is.
///
/// Neighbours in an image differ by little. So an integer takes few bits beyond the least one of its group, and a dense
/// form sorts the bytes of the integers into planes.
final class ScaledBlock {
    /// The form of a block, its first byte.
    enum Kind: UInt8 {
        /// The scale and groups of integers, see `skyfarm_pack_scaled`.
        case bits = 1
        /// The scale, the least integer, the number of planes, the floats that are no scaled integers, and a Zstandard frame of
        /// the lowest planes of the integers less the least one.
        case integers = 2
        /// A Zstandard frame of the planes of the floats.
        case planes = 3
    }

    private var scale: IntegerScale
    /// Nil unless the form is dense.
    private let planes: PlaneBlock?
    private let integers: UnsafeMutableBufferPointer<UInt32>
    private let places: UnsafeMutableBufferPointer<Int32>

    /// Floats of a block that may be no scaled integers, in a dense form.
    private static let exceptionLimit = 4096
    /// A block that keeps more than this share of its bytes as bits is stored as it is.
    private static let mostBits = 0.75
    private static let headSize = 17
    /// Times that a scale is refined, and floats that are added to the sample each time.
    private static let (rounds, addedLimit) = (8, 500)

    /// An encoder for blocks of `bytes`; nil if these seem to be no scaled integers, or if there is no memory.
    init?(isDense: Bool, of bytes: UnsafeRawBufferPointer) {
        guard let scale = IntegerScale.find(in: Self.sample(of: bytes, runs: 12)) else { return nil }
        planes = isDense ? PlaneBlock(width: 4) : nil
        if isDense, planes == nil { return nil }
        self.scale = scale
        integers = .allocate(capacity: BulkCompression.blockSize / 4)
        places = .allocate(capacity: BulkCompression.blockSize / 4)
        let first = bytes.prefix(BulkCompression.blockSize / 4 * 4).prefix(bytes.count / 4 * 4)
        refine(for: UnsafeRawBufferPointer(rebasing: first).bindMemory(to: Float.self))
    }

    deinit {
        integers.deallocate()
        places.deallocate()
    }

    /// Whether the floats at the beginning of `bytes` seem to be scaled integers that take less room so.
    static func isScaled(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let sample = sample(of: bytes, runs: 4)
        guard let scale = IntegerScale.find(in: sample) else { return false }
        let plainCount = sample.count * MemoryLayout<Float>.size
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * plainCount) { room in
            let count = skyfarm_pack_scaled(sample, sample.count, scale.coded, room.baseAddress, room.count)
            return count > 0 && Double(count) < mostBits * Double(plainCount)
        }
    }

    /// Runs of floats from the first third of the bytes: a map of weights or a mask may follow the samples of an image.
    private static func sample(of bytes: UnsafeRawBufferPointer, runs: Int) -> [Float] {
        let (count, run) = (bytes.count / 4, 128)
        if count <= run * runs {
            return (0..<count).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        let range = max(run * runs, count / 3)
        return (0..<runs).flatMap { index in
            let first = (range - run) / (runs - 1) * index
            return (first..<first + run).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    /// - Returns: the number of bytes; nil if there is no room for them.
    func encode(_ block: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer) -> Int? {
        guard block.count >= 4, space.count > Self.headSize else { return nil }
        let floats = UnsafeRawBufferPointer(rebasing: block.prefix(block.count / 4 * 4)).bindMemory(to: Float.self)
        let body = UnsafeMutableRawBufferPointer(rebasing: space.dropFirst(Self.headSize))
        let kind: Kind
        var length: Int?
        if let planes {
            (kind, length) = (.integers, encodeIntegers(of: floats, block, planes, into: body))
            guard length != nil else { return encodePlanes(block, planes, into: space) }
        } else {
            (kind, length) = (.bits, encodeBits(of: floats, block, into: body))
        }
        guard let length else { return nil }
        space[0] = kind.rawValue
        space.storeBytes(of: scale.step.bitPattern.littleEndian, toByteOffset: 1, as: UInt64.self)
        space.storeBytes(of: scale.offset.bitPattern.littleEndian, toByteOffset: 9, as: UInt64.self)
        return Self.headSize + length
    }

    private func encodePlanes(
        _ block: UnsafeRawBufferPointer, _ planes: PlaneBlock, into space: UnsafeMutableRawBufferPointer
    ) -> Int? {
        space[0] = Kind.planes.rawValue
        return planes.encode(block, into: UnsafeMutableRawBufferPointer(rebasing: space.dropFirst())).map { $0 + 1 }
    }

    private func encodeBits(
        of floats: UnsafeBufferPointer<Float>, _ block: UnsafeRawBufferPointer,
        into body: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let rest = block.count - 4 * floats.count
        func pack() -> Int? {
            let length = skyfarm_pack_scaled(
                floats.baseAddress, floats.count, scale.coded, body.bindMemory(to: UInt8.self).baseAddress,
                body.count - rest)
            return length > 0 && Double(length) < Self.mostBits * Double(block.count) ? length : nil
        }
        // The scale of the blocks before may be that of another part of the bytes.
        guard let length = pack() ?? (changesScale(for: floats) ? pack() : nil) else { return nil }
        UnsafeMutableRawBufferPointer(rebasing: body[length...]).copyBytes(from: block.suffix(rest))
        return length + rest
    }

    private func encodeIntegers(
        of floats: UnsafeBufferPointer<Float>, _ block: UnsafeRawBufferPointer, _ planes: PlaneBlock,
        into body: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var (least, exceptions): (Int32, Int) = (0, 0)
        func convert() -> Bool {
            exceptions = strays(from: scale, in: floats, limit: Self.exceptionLimit, least: &least)
            return exceptions <= min(Self.exceptionLimit, floats.count / 8)
        }
        guard convert() || changesScale(for: floats) && convert() else { return nil }
        let most = integers.prefix(floats.count).max() ?? 0
        let used = (most.bitWidth - most.leadingZeroBitCount + 7) / 8
        let head = 9 + 8 * exceptions
        guard body.count > head else { return nil }
        body.storeBytes(of: least.littleEndian, toByteOffset: 0, as: Int32.self)
        body[4] = UInt8(used)
        body.storeBytes(of: UInt32(exceptions).littleEndian, toByteOffset: 5, as: UInt32.self)
        for (index, place) in places.prefix(exceptions).enumerated() {
            let bits = floats[Int(place)].bitPattern
            body.storeBytes(of: UInt32(place).littleEndian, toByteOffset: 9 + 8 * index, as: UInt32.self)
            body.storeBytes(of: bits.littleEndian, toByteOffset: 13 + 8 * index, as: UInt32.self)
        }
        let numbers = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: integers.prefix(floats.count)))
        let rest = UnsafeRawBufferPointer(rebasing: block.suffix(block.count - 4 * floats.count))
        return planes.encode(
            numbers, used: used, rest: rest, into: UnsafeMutableRawBufferPointer(rebasing: body[head...])
        ).map { head + $0 }
    }

    /// The number of floats that a scale does not give back, whose places are the first of ``places``, and the integers of the
    /// others, less the least one; above `limit` if there are more.
    private func strays(
        from scale: IntegerScale, in floats: UnsafeBufferPointer<Float>, limit: Int, least: inout Int32
    ) -> Int {
        skyfarm_integers_of_numbers(
            floats.baseAddress, floats.count, scale.coded, integers.baseAddress, &least, places.baseAddress, limit)
    }

    /// Looks for another scale, which fits these floats.
    private func changesScale(for floats: UnsafeBufferPointer<Float>) -> Bool {
        let sample = Self.sample(of: UnsafeRawBufferPointer(floats), runs: 12)
        guard let found = IntegerScale.find(in: sample), found != scale else { return false }
        scale = found
        refine(for: floats)
        return true
    }

    /// Changes the scale, which gives back the floats of a sample, so that it gives back as many of these as possible: those
    /// that it does not give back are added to the sample.
    private func refine(for floats: UnsafeBufferPointer<Float>) {
        var (sample, least) = (Self.sample(of: UnsafeRawBufferPointer(floats), runs: 12), Int32(0))
        var fewest = strays(from: scale, in: floats, limit: places.count, least: &least)
        for _ in 0..<Self.rounds where fewest > 0 {
            sample += places.prefix(min(fewest, Self.addedLimit)).map { floats[Int($0)] }.filter(\.isFinite)
            guard let next = IntegerScale.find(in: sample), next != scale else { return }
            let count = strays(from: next, in: floats, limit: places.count, least: &least)
            guard count < fewest else { return }
            (scale, fewest) = (next, count)
        }
    }
}

extension IntegerScale {
    fileprivate var coded: skyfarm_scale { skyfarm_scale(step: step, offset: offset) }
}
