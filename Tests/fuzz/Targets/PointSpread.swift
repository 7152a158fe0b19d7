import Foundation

import SkyFITS
import SkyMeasurement

extension FuzzTarget {
    /// A file of PSFEx: its models, and the function of each at some places.
    static let pointSpread = FuzzTarget(name: "psf") { bytes in
        let path = "/dev/shm/skyfarm-fuzz-\(getpid()).psf"
        do {
            try Data(bytes).write(to: URL(filePath: path))
            for model in try PointSpreadFile.models(path: path, isExtended: true) {
                precondition(model.reach > 0 && model.extended.count == model.samples.count)
                for place in [0.0, 100.5, -1e9] {
                    let samples = [model.local(x: place, y: 1), model.localExtended(x: 1, y: place)].compactMap(\.self)
                    precondition(samples.allSatisfy { $0.pixels(x: 2.3, y: -1e4, columns: 5, rows: 4).count == 20 })
                }
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        let place = [
            "POLNAXIS= 2", "POLGRP1 = 1", "POLGRP2 = 1", "POLNAME1= 'X_IMAGE'", "POLNAME2= 'Y_IMAGE'", "POLDEG1 = 1",
            "POLZERO1= 64.0", "POLZERO2= 64.0", "POLSCAL1= 128.0", "POLSCAL2= 128.0",
        ]
        return [
            "constant": file(terms: 1, []), "varying": file(terms: 3, place), "two": file(terms: 1, []) + hdu(1, []),
        ]
    }

    private static func file(terms: Int, _ cards: [String]) -> [UInt8] {
        block(FITSHeader(cards: ["SIMPLE  =                    T", integer("BITPIX", 8), integer("NAXIS", 0)]).bytes)
            + hdu(terms, cards)
    }

    private static func hdu(_ terms: Int, _ further: [String]) -> [UInt8] {
        let count = 25 * terms
        let cards = [
            "XTENSION= 'BINTABLE'", integer("BITPIX", 8), integer("NAXIS", 2), integer("NAXIS1", 4 * count),
            integer("NAXIS2", 1), integer("PCOUNT", 0), integer("GCOUNT", 1), integer("TFIELDS", 1),
            "TTYPE1  = 'PSF_MASK'", "TFORM1  = '\(count)E'", "EXTNAME = 'PSF_DATA'", "PSF_FWHM= 3.0", "PSF_SAMP= 1.0",
            integer("PSFNAXIS", 3), integer("PSFAXIS1", 5), integer("PSFAXIS2", 5), integer("PSFAXIS3", terms),
        ]
        let samples = (0..<count).flatMap { place in
            let (x, y) = (Double(place % 5 - 2), Double(place / 5 % 5 - 2))
            return withUnsafeBytes(of: Float(exp(-(x * x + y * y) / 3) / 9).bitPattern.bigEndian) { Array($0) }
        }
        return block(FITSHeader(cards: cards + further).bytes) + block(samples, with: 0)
    }

    private static func integer(_ key: String, _ value: Int) -> String {
        let digits = String(value)
        return key.padding(toLength: 8, withPad: " ", startingAt: 0) + "= "
            + String(repeating: " ", count: 20 - digits.count) + digits
    }

    private static func block(_ bytes: [UInt8], with filler: UInt8 = UInt8(ascii: " ")) -> [UInt8] {
        bytes + Array(repeating: filler, count: (2880 - bytes.count % 2880) % 2880)
    }
}
