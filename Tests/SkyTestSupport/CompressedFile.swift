internal import CFITSIO
internal import Foundation

/// A small tile-compressed file as CFITSIO writes it.
package struct CompressedFile: CustomStringConvertible, Sendable {
    package var description: String
    package var compression: Int32
    /// BITPIX of the samples; floats are quantized unless GZIP keeps them whole.
    package var bitpix: Int32
    package var isQuantized = false

    package static let all = [
        CompressedFile(description: "Rice, 8 bits", compression: RICE_1, bitpix: BYTE_IMG),
        CompressedFile(description: "Rice, 16 bits", compression: RICE_1, bitpix: SHORT_IMG),
        CompressedFile(description: "Rice, 32 bits", compression: RICE_1, bitpix: LONG_IMG),
        CompressedFile(description: "Rice, floats", compression: RICE_1, bitpix: FLOAT_IMG, isQuantized: true),
        CompressedFile(description: "gzip, 16 bits", compression: GZIP_1, bitpix: SHORT_IMG),
        CompressedFile(description: "gzip, floats", compression: GZIP_1, bitpix: FLOAT_IMG),
        CompressedFile(description: "shuffled gzip, 32 bits", compression: GZIP_2, bitpix: LONG_IMG),
        CompressedFile(description: "shuffled gzip, floats", compression: GZIP_2, bitpix: FLOAT_IMG),
        CompressedFile(description: "PLIO, 16 bits", compression: PLIO_1, bitpix: SHORT_IMG),
        CompressedFile(description: "HCOMPRESS, 16 bits", compression: HCOMPRESS_1, bitpix: SHORT_IMG),
    ]

    package static let (width, height, tileHeight) = (64, 48, 16)

    /// Whole numbers that every stored type holds.
    package static let samples: [Float] = (0..<width * height).map { (index: Int) -> Float in
        let step = index % 5 == 0 ? 100 : 0
        return Float(index * index % 97 + step)
    }

    /// Makes the file at `path`, and returns its bytes.
    package func write(to path: String) throws -> [UInt8] {
        var file: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        ffinit(&file, path, &status)
        fits_set_compression_type(file, compression, &status)
        var tile = [Self.width, Self.tileHeight]
        fits_set_tile_dim(file, 2, &tile, &status)
        fits_set_quantize_level(file, isQuantized ? 16 : 0, &status)
        var axes = [Self.width, Self.height]
        ffcrim(file, bitpix, 2, &axes, &status)
        let count = Int64(Self.samples.count)
        // CFITSIO compresses samples of the stored type only.
        switch bitpix {
        case BYTE_IMG:
            var samples = Self.samples.map { UInt8($0) }
            ffpprb(file, 1, 1, count, &samples, &status)
        case SHORT_IMG:
            var samples = Self.samples.map { Int16($0) }
            ffppri(file, 1, 1, count, &samples, &status)
        case LONG_IMG:
            var samples = Self.samples.map { Int32($0) }
            ffpprk(file, 1, 1, count, &samples, &status)
        default:
            var samples = Self.samples
            ffppre(file, 1, 1, count, &samples, &status)
        }
        ffclos(file, &status)
        guard status == 0 else { throw Failure(status: status) }
        return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }

    package struct Failure: Error {
        /// Status of CFITSIO.
        package var status: Int32

        package init(status: Int32) { self.status = status }
    }
}
