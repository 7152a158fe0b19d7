internal import SkyFITS

/// A built-in image of floats in quantized tiles, as files from observatories have them: integers by Rice's code, with
/// a scale and a zero for each tile, less a dither (subtractive, number 1). One sample is not a number.
package enum QuantizedTiles {
    package static let (width, height) = (24, 4)

    /// The table's rows, of one tile each: length and place of its integers, scale and zero. Then the integers.
    private static let words: [UInt64] = [
        0x0000002900000000, 0x3fc26b643492c99c, 0x405900c6855d40ab, 0x0000002900000029, 0x3fc26b6de3c21188,
        0x405e78b84a478c00, 0x0000006500000052, 0x400b0a0c1373761a, 0x40636f38adfafce3, 0x00000029000000b7,
        0x3fc26b6de3c21188, 0x40676b983917414a, 0x000000005c007704, 0xd176e4cf49d7724c, 0xf7724cf49b7744cf,
        0x7744cb4997744cd7, 0x784cb4977764cb4c, 0x700000036d5c0049, 0x57784c74c7778493, 0x77a4c54c777c4917,
        0x7a4c34c377c4914c, 0x177c4c177e48d4c1, 0x78000000000ad000, 0x0000000000029000, 0x0001880000019800,
        0x000297fffffd77ff, 0xfffc680000019800, 0x0001880000028000, 0x0001880000029000, 0x0001880000019800,
        0x0002900000018800, 0x0001a8000002b000, 0x0001980000029000, 0x0001980000018800, 0x0002900000019800,
        0x0004fc5c004b94b7, 0x7be4b57884b54b37, 0xbe4b54b178a4b17c, 0x04b14b57904b17c2, 0x4af4b17904af7c40,
    ]

    /// The image as CFITSIO reads it.
    /// - Throws: `ImageError`.
    package static func pixels() throws -> [Float] {
        func blocks(_ cards: [(String, String)]) -> [UInt8] {
            StoredSamples.blocks(cards.map { StoredSamples.card($0.0, $0.1) })
        }
        let heap = 8 * words.count - 24 * height
        var bytes = blocks([("SIMPLE", "T"), ("BITPIX", "8"), ("NAXIS", "0"), ("EXTEND", "T")])
        bytes += blocks([
            ("XTENSION", "'BINTABLE'"), ("BITPIX", "8"), ("NAXIS", "2"), ("NAXIS1", "24"), ("NAXIS2", "\(height)"),
            ("PCOUNT", "\(heap)"), ("GCOUNT", "1"), ("TFIELDS", "3"), ("TTYPE1", "'COMPRESSED_DATA'"),
            ("TFORM1", "'1PB(101)'"), ("TTYPE2", "'ZSCALE  '"), ("TFORM2", "'1D      '"), ("TTYPE3", "'ZZERO   '"),
            ("TFORM3", "'1D      '"), ("ZIMAGE", "T"), ("ZBITPIX", "-32"), ("ZNAXIS", "2"), ("ZNAXIS1", "\(width)"),
            ("ZNAXIS2", "\(height)"), ("ZTILE1", "\(width)"), ("ZTILE2", "1"), ("ZCMPTYPE", "'RICE_1  '"),
            ("ZNAME1", "'BLOCKSIZE'"), ("ZVAL1", "32"), ("ZNAME2", "'BYTEPIX '"), ("ZVAL2", "4"),
            ("ZBLANK", "-2147483648"), ("ZQUANTIZ", "'SUBTRACTIVE_DITHER_1'"), ("ZDITHER0", "7"),
        ])
        bytes += words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        bytes += [UInt8](repeating: 0, count: (2880 - bytes.count % 2880) % 2880)
        var pixels = [Float](repeating: 0, count: width * height)
        try bytes.withUnsafeBytes { bytes in
            try pixels.withUnsafeMutableBufferPointer { pixels in
                try FITSImage.read(piece: bytes, column: 0, row: 0, size: (width, height), into: pixels)
            }
        }
        return pixels
    }
}
