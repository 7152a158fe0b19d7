internal import CElementary
internal import SkyFITS

// What scans rest on beside the kernel.
extension ArithmeticFingerprint {
    /// 4096 values of each of the elementary functions.
    static func functions() -> UInt64 {
        let functions: [(Double) -> Double] = [
            Elementary.exp, Elementary.exp10, Elementary.log, Elementary.log10, Elementary.sin, Elementary.cos,
            Elementary.tan, Elementary.asin, Elementary.acos, Elementary.atan, { Elementary.pow($0, 0.3) },
            { Elementary.atan2($0, 0.7) }, { Double(Elementary.exp(Float($0))) },
        ]
        return checksum(of: functions.flatMap { function in (1...4096).map { function(Double($0) / 4099) } })
    }

    /// Samples of each type of integers and floats, scaled by numbers that are not exact in binary, and quantized tiles,
    /// as CFITSIO and Skyfarm's own conversion read them.
    static func reader() -> UInt64 {
        let width = 96
        var pixels = [Float](repeating: 0, count: width)
        var checksums: [UInt64] = []
        for bitpix in [8, 16, 32, 64, -32, -64] {
            let cards = [
                ("SIMPLE", "T"), ("BITPIX", "\(bitpix)"), ("NAXIS", "2"), ("NAXIS1", "\(width)"), ("NAXIS2", "1"),
                ("BSCALE", "0.3"), ("BZERO", "32768.7"),
            ]
            var bytes = StoredSamples.blocks(cards.map { StoredSamples.card($0.0, $0.1) })
            // The high bytes of floats give numbers of all magnitudes.
            bytes += (0..<width * abs(bitpix) / 8).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 5) }
            bytes += [UInt8](repeating: 0, count: (2880 - bytes.count % 2880) % 2880)
            do {
                try bytes.withUnsafeBytes { bytes in
                    try pixels.withUnsafeMutableBufferPointer { pixels in
                        try FITSImage.read(piece: bytes, column: 0, row: 0, size: (width, 1), into: pixels)
                    }
                }
                checksums.append(checksum(of: pixels.map { $0.isNaN ? .nan : $0 }))
            } catch {
                checksums.append(checksum(of: Array("\(error)".utf8)))
            }
        }
        do {
            checksums.append(checksum(of: try QuantizedTiles.pixels().map { $0.isNaN ? .nan : $0 }))
        } catch {
            checksums.append(checksum(of: Array("\(error)".utf8)))
        }
        return checksum(of: checksums)
    }

    /// Positions in a gnomonic projection with distortion, which turn from galactic to equatorial coordinates.
    static func coordinates() -> UInt64 {
        let cards = [
            "CTYPE1  = 'GLON-TAN-SIP'", "CTYPE2  = 'GLAT-TAN-SIP'", "CRPIX1  = 31.7", "CRPIX2  = 44.1",
            "CRVAL1  = 201.3", "CRVAL2  = -47.2", "CD1_1   = -1.1E-4", "CD1_2   = 2.3E-6", "CD2_1   = 1.9E-6",
            "CD2_2   = 1.3E-4", "A_ORDER = 3", "B_ORDER = 2", "A_2_0   = 1.7E-5", "A_1_2   = -3.1E-8",
            "B_0_2   = 2.9E-5", "B_1_1   = -1.3E-5",
        ]
        guard let system = try? CelestialWCS(header: FITSHeader(cards: cards)), system.isOwn else { return 0 }
        let (x, y) = ((0..<64).map { Double($0) * 7.3 }, (0..<64).map { 300 - Double($0) * 3.9 })
        let sky = system.coordinates(x: x, y: y)
        let back = system.pixels(rightAscension: sky.rightAscension, declination: sky.declination)
        return checksum(of: sky.rightAscension + sky.declination + back.x + back.y)
    }
}
