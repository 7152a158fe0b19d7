import CFITSIO
import Foundation
import ScanBasics
import SkyTestSupport

/// A small random file of any sample type, scaling and compression, as CFITSIO writes it.
struct RandomFITS: CustomStringConvertible {
    var bitpix: Int32 = 0
    /// Nil if the image is plain.
    var compression: Int32?
    var isQuantized = false
    var dither: Int32?
    var (width, height) = (0, 0)
    var tile: [Int] = []
    var scale = 1.0
    var zero = 0.0
    var blank: Int?
    var hasNaN = false
    /// In an extension, with a third axis of length 1.
    var isExtension = false
    private var random: SplitMix64

    static let bitpixes = [BYTE_IMG, SHORT_IMG, LONG_IMG, LONGLONG_IMG, FLOAT_IMG, DOUBLE_IMG]
    /// With the sample types that CFITSIO compresses so.
    static let compressions: [(Int32?, [Int32])] = [
        (nil, bitpixes), (RICE_1, [BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG]),
        (GZIP_1, [BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG]),
        (GZIP_2, [BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG]),
        (HCOMPRESS_1, [BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG]),
        (PLIO_1, [BYTE_IMG, SHORT_IMG, LONG_IMG]),
    ]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d)
        (width, height) = (Int.random(in: 16...70, using: &random), Int.random(in: 16...70, using: &random))
        let (compression, types) = Self.compressions[Int.random(in: 0..<Self.compressions.count, using: &random)]
        self.compression = compression
        bitpix = types[Int.random(in: 0..<types.count, using: &random)]
        let isFloat = bitpix < 0
        isQuantized =
            isFloat && (![GZIP_1, GZIP_2].contains(compression ?? 0) || Bool.random(using: &random))
        if isQuantized {
            // CFITSIO has no second method for HCOMPRESS.
            let methods = [NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2]
            dither = methods.prefix(compression == HCOMPRESS_1 ? 2 : 3).randomElement(using: &random)
        }
        // CFITSIO overruns its buffer if a small tile of noise grows by compression.
        tile = [Int.random(in: 8...width, using: &random), Int.random(in: 2...height, using: &random)]
        if Bool.random(using: &random) { tile = [width, 1] }
        if compression == HCOMPRESS_1 {
            // The H-transform needs four rows and columns, also in the last tiles. CFITSIO fails to compress smaller ones.
            tile = [width, height].map { side in
                (16...side).filter { side % $0 == 0 || side % $0 >= 16 }.randomElement(using: &random) ?? side
            }
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (scale, zero) = (1, Self.unsignedZero(bitpix))
        case 1: (scale, zero) = (Double.random(in: 0.001...3, using: &random), .random(in: -9...9, using: &random))
        default: break
        }
        // CFITSIO cannot scale a compressed image of floats again.
        if isFloat && compression != nil { (scale, zero) = (1, 0) }
        if !isFloat, Bool.random(using: &random) { blank = Int.random(in: 0...9, using: &random) }
        hasNaN = isFloat && Bool.random(using: &random)
        isExtension = Bool.random(using: &random)
    }

    private static func unsignedZero(_ bitpix: Int32) -> Double {
        switch bitpix {
        case BYTE_IMG: -128
        case SHORT_IMG: 32768
        case LONG_IMG: 2_147_483_648
        case LONGLONG_IMG: 9_223_372_036_854_775_808
        default: 0
        }
    }

    var description: String {
        "bitpix \(bitpix), compression \(compression ?? 0), dither \(dither ?? 0), \(width)x\(height), tile \(tile), "
            + "scale \(scale) zero \(zero) blank \(blank ?? -1)"
    }

    /// Writes the file.
    /// - Throws: CFITSIO's status.
    mutating func write(to path: String) throws {
        var file: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        ffinit(&file, path, &status)
        if isExtension {
            var none = 0
            ffcrim(file, BYTE_IMG, 0, &none, &status)
        }
        if let compression {
            fits_set_compression_type(file, compression, &status)
            fits_set_tile_dim(file, 2, &tile, &status)
            fits_set_quantize_level(file, isQuantized ? 16 : 0, &status)
            if let dither {
                fits_set_quantize_method(file, dither, &status)
                fits_set_dither_seed(file, Int32.random(in: 1...10000, using: &random), &status)
            }
        }
        var axes = isExtension ? [width, height, 1] : [width, height]
        ffcrim(file, bitpix, Int32(axes.count), &axes, &status)
        if scale != 1 || zero != 0 {
            ffpkyd(file, "BSCALE", scale, -17, nil, &status)
            ffpkyd(file, "BZERO", zero, -17, nil, &status)
        }
        if let blank { ffpkyj(file, compression == nil ? "BLANK" : "ZBLANK", Int64(blank), nil, &status) }
        // A card that is none of the image's.
        ffpkys(file, "OBJECT", "a 'star'", nil, &status)
        ffrdef(file, &status)
        ffpscl(file, 1, 0, &status)
        writeSamples(file, &status)
        ffclos(file, &status)
        guard status == 0 else { throw CompressedFile.Failure(status: status) }
    }

    private mutating func writeSamples(_ file: UnsafeMutablePointer<fitsfile>?, _ status: inout Int32) {
        let (amplitude, count) = (
            Int.random(in: 1...(bitpix == BYTE_IMG ? 200 : 30_000), using: &random), width * height
        )
        // CFITSIO fails to compress small tiles of noise by the H-transform.
        let noise = compression == HCOMPRESS_1 ? 3 : 12
        let isSigned = bitpix != BYTE_IMG && compression != PLIO_1 && Bool.random(using: &random)
        // Runs of equal values, which these need.
        let run = [PLIO_1, HCOMPRESS_1].contains(compression ?? 0) ? 5 : 1
        let values = (0...count / run).map { _ in
            Int.random(in: 0..<10, using: &random) == 0
                ? Int.random(in: (isSigned ? -amplitude : 0)...amplitude, using: &random)
                : Int.random(in: 0...noise, using: &random)
        }
        .flatMap { [Int](repeating: $0, count: run) }.prefix(count)
        func put<Sample: BitwiseCopyable>(_ samples: [Sample], _ type: Int32) {
            var samples = samples
            samples.withUnsafeMutableBytes { _ = ffppr(file, type, 1, Int64(count), $0.baseAddress, &status) }
        }
        switch bitpix {
        case BYTE_IMG: put(values.map { UInt8($0) }, TBYTE)
        case SHORT_IMG: put(values.map { Int16($0) }, TSHORT)
        case LONG_IMG: put(values.map { Int32($0 * 3) }, TINT)
        case LONGLONG_IMG: put(values.map { Int64($0) << 30 }, TLONGLONG)
        case FLOAT_IMG: put(floats(values).map { Float($0) }, TFLOAT)
        default: put(floats(values), TDOUBLE)
        }
    }

    private mutating func floats(_ values: some Sequence<Int>) -> [Double] {
        values.map { value in
            if hasNaN, Int.random(in: 0..<20, using: &random) == 0 { return .nan }
            return value == 3 ? 0 : Double(value) * 0.37 + Double.random(in: -1...1, using: &random)
        }
    }

    /// A random window of the image; half of them have its full width.
    mutating func window() -> (rows: Range<Int>, columns: Range<Int>) {
        func range(_ count: Int) -> Range<Int> {
            let start = Int.random(in: 0..<count, using: &random)
            return start..<Int.random(in: start + 1...count, using: &random)
        }
        return (range(height), Bool.random(using: &random) ? 0..<width : range(width))
    }
}
