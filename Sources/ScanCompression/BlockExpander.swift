internal import CNumbers
internal import CZstd
internal import ScanBasics

/// Expands the forms of blocks, which may come from a peer. See ``BulkCompression``.
final class BlockExpander {
    private typealias Malformed = BulkCompression.Malformed

    private let context: OpaquePointer
    private let planes: BytePlanes
    private let isScaled: Bool

    /// An expander of blocks of at most `largest` bytes.
    init(width: Int, isScaled: Bool, largest: Int) throws(BulkCompression.Malformed) {
        guard let context = ZSTD_createDCtx() else { throw Malformed(description: "no memory to expand bulk bytes") }
        self.context = context
        self.isScaled = isScaled
        planes = BytePlanes(width: width, largest: largest)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Expands a form that is shorter than its block.
    func expand(
        _ form: UnsafeRawBufferPointer, into block: UnsafeMutableRawBufferPointer
    ) throws(BulkCompression.Malformed) {
        guard isScaled else { return try expandPlanes(form, into: block) }
        guard let kind = form.first.flatMap(ScaledBlock.Kind.init) else {
            throw Malformed(description: "a compressed block is of no known kind")
        }
        let rest = UnsafeRawBufferPointer(rebasing: form.dropFirst())
        switch kind {
        case .planes: try expandPlanes(rest, into: block)
        case .bits: try expandBits(rest, into: block)
        case .integers: try expandIntegers(rest, into: block)
        }
    }

    private func expandPlanes(
        _ frame: UnsafeRawBufferPointer, into block: UnsafeMutableRawBufferPointer
    ) throws(BulkCompression.Malformed) {
        try decompress(frame, into: planes.space(for: block.count))
        planes.join(into: block)
    }

    private func expandBits(
        _ form: UnsafeRawBufferPointer, into block: UnsafeMutableRawBufferPointer
    ) throws(BulkCompression.Malformed) {
        let (scale, groups) = try scale(form)
        let whole = block.count / 4
        let taken = skyfarm_unpack_scaled(
            groups.bindMemory(to: UInt8.self).baseAddress, groups.count, scale,
            block.bindMemory(to: Float.self).baseAddress, whole)
        let rest = block.count - 4 * whole
        guard taken >= 0, groups.count - taken == rest else {
            throw Malformed(description: "a compressed block has no groups of \(whole) scaled integers")
        }
        UnsafeMutableRawBufferPointer(rebasing: block[(4 * whole)...]).copyBytes(from: groups[taken...])
    }

    private func expandIntegers(
        _ form: UnsafeRawBufferPointer, into block: UnsafeMutableRawBufferPointer
    ) throws(BulkCompression.Malformed) {
        let (scale, rest) = try scale(form)
        let whole = block.count / 4
        guard rest.count >= 9 else { throw Malformed(description: "a compressed block is cut") }
        let (least, used, exceptions) = (Int32(bitPattern: rest.u32(0)), Int(rest[4]), Int(rest.u32(5)))
        guard used <= 4, exceptions <= whole, rest.count - 9 >= 8 * exceptions else {
            throw Malformed(description: "a compressed block has \(exceptions) exceptions and \(used) planes")
        }
        let frame = UnsafeRawBufferPointer(rebasing: rest[(9 + 8 * exceptions)...])
        try decompress(frame, into: planes.space(for: block.count, used: used))
        planes.join(into: block, used: used)
        skyfarm_numbers_of_integers(block.baseAddress, whole, scale, least)
        for index in 0..<exceptions {
            let place = Int(rest.u32(9 + 8 * index))
            guard place < whole else { throw Malformed(description: "a compressed block has no number \(place)") }
            block.storeBytes(of: rest.u32(13 + 8 * index), toByteOffset: 4 * place, as: UInt32.self)
        }
    }

    private func scale(
        _ form: UnsafeRawBufferPointer
    ) throws(BulkCompression.Malformed) -> (skyfarm_scale, UnsafeRawBufferPointer) {
        guard form.count >= 16 else { throw Malformed(description: "a compressed block is cut") }
        let scale = skyfarm_scale(
            step: Double(bitPattern: form.u64(0)), offset: Double(bitPattern: form.u64(8)))
        return (scale, UnsafeRawBufferPointer(rebasing: form[16...]))
    }

    /// Decompresses one frame, which must fill `target`.
    private func decompress(
        _ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) throws(BulkCompression.Malformed) {
        // One frame of the present format: the library also reads several, those to be skipped, and older formats.
        guard frame.count >= 4, frame.u32(0) == ZSTD_MAGICNUMBER,
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { throw Malformed(description: "a compressed block is no Zstandard frame") }
        let count = ZSTD_decompressDCtx(context, target.baseAddress, target.count, frame.baseAddress, frame.count)
        guard ZSTD_isError(count) == 0, count == target.count else {
            throw Malformed(description: "a compressed block does not expand to \(target.count) bytes")
        }
    }
}
