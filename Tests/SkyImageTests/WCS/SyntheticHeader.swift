import Foundation
import Testing

/// Headers of each kind that is compared with astropy.
struct SyntheticHeader: Sendable, CustomTestStringConvertible {
    var name: String
    var cards: [String]
    /// What astropy is given, where it would not take the header for what it means.
    var meaning: [String]?
    var testDescription: String { name }

    static func linear(
        _ type1: String, _ type2: String, _ value: [Double], scale: Double = 2.5e-4, matrix: Bool = true
    ) -> [String] {
        let size = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 1000", "NAXIS2  = 800"]
        let reference = [
            "CTYPE1  = '\(type1)'", "CTYPE2  = '\(type2)'", "CRPIX1  = 512.0", "CRPIX2  = 400.0",
            "CRVAL1  = \(value[0])", "CRVAL2  = \(value[1])",
        ]
        let slope = ["CD1_1   = \(-scale)", "CD1_2   = \(scale / 50)", "CD2_1   = \(scale / 40)", "CD2_2   = \(scale)"]
        return size + reference + (matrix ? slope : [])
    }

    static let sip = [
        "A_ORDER = 3", "B_ORDER = 2", "A_2_0   = 1.2E-05", "A_0_2   = -3.1E-06", "A_1_1   = 5.0E-06",
        "A_3_0   = 1.0E-09", "A_2_1   = -2.0E-09", "B_2_0   = 2.2E-06", "B_0_2   = 9.0E-06", "B_1_1   = -4.0E-06",
    ]
    static let inverseSIP = [
        "AP_ORDER= 2", "BP_ORDER= 2", "AP_2_0  = -1.2E-05", "AP_0_2  = 3.1E-06", "AP_1_1  = -5.0E-06",
        "BP_2_0  = -2.2E-06", "BP_0_2  = -9.0E-06", "BP_1_1  = 4.0E-06",
    ]
    static let distortion = [
        "PV1_0   = 1.0E-03", "PV1_1   = 1.01", "PV1_2   = 2.0E-03", "PV1_4   = 3.0E-03", "PV1_7   = -0.02",
        "PV2_0   = -2.0E-03", "PV2_1   = 0.99", "PV2_2   = 1.0E-03", "PV2_5   = 1.0E-02", "PV2_10  = 0.03",
    ]
    static let degenerate = [
        "SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 4", "NAXIS1  = 1000", "NAXIS2  = 800", "NAXIS3  = 1", "NAXIS4  = 1",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CTYPE3  = 'FREQ'", "CTYPE4  = 'STOKES'", "CRPIX1  = 500.0",
        "CRPIX2  = 400.0", "CRPIX3  = 1.0", "CRPIX4  = 1.0", "CRVAL1  = 83.6", "CRVAL2  = 22.0", "CRVAL3  = 1.4E+09",
        "CRVAL4  = 1.0", "CDELT1  = -1E-03", "CDELT2  = 1E-03", "CDELT3  = 1.0E+06", "CDELT4  = 1.0",
    ]

    static let plate = [
        "PLTRAH  = 14", "PLTRAM  = 37", "PLTRAS  = 4.688253E+01", "PLTDECSN= '-'", "PLTDECD = 60", "PLTDECM = 12",
        "PLTDECS = 5.928761E+01", "CNPIX1  = 8860", "CNPIX2  = 1708", "XPIXELSZ= 25.28445", "YPIXELSZ= 25.28445",
        "PPO3    = 1.766169833815E+05", "PPO6    = 1.771935611560E+05", "AMDX1   = 67.15", "AMDX2   = -0.18",
        "AMDX3   = 220.1", "AMDX13  = 2.1E-06", "AMDY1   = 67.14", "AMDY2   = 0.17", "AMDY3   = -110.3",
    ]

    static let all: [SyntheticHeader] = [
        .init(
            name: "plate solution", cards: plate,
            meaning: plate.map { $0.replacingOccurrences(of: "'-'", with: "'-       '") }),
        .init(name: "TAN", cards: linear("RA---TAN", "DEC--TAN", [0.001, -45])),
        .init(name: "TAN at the pole", cards: linear("RA---TAN", "DEC--TAN", [30, 89.99])),
        .init(name: "TAN with a longitude of some turns", cards: linear("RA---TAN", "DEC--TAN", [1050, 5])),
        .init(name: "TAN with a negative longitude of some turns", cards: linear("RA---TAN", "DEC--TAN", [-1050, 5])),
        .init(name: "TAN with a negative longitude", cards: linear("RA---TAN", "DEC--TAN", [-10, 5])),
        .init(
            name: "TAN with CROTA",
            cards: linear("RA---TAN", "DEC--TAN", [200, 33], matrix: false)
                + ["CDELT1  = -3E-04", "CDELT2  = 3E-04", "CROTA2  = 37.5", "EPOCH   = 1950.0"]),
        .init(
            name: "TAN with PC and LONPOLE",
            cards: linear("RA---TAN", "DEC--TAN", [200, 33], matrix: false)
                + [
                    "CDELT1  = -3E-04", "CDELT2  = 3E-04", "PC1_1   = 0.8", "PC1_2   = -0.6", "PC2_1   = 0.6",
                    "PC2_2   = 0.8", "LONPOLE = 170.0",
                ]),
        .init(
            name: "declination first",
            cards: linear("DEC--TAN", "RA---TAN", [-12, 200])),
        .init(
            name: "units of arc seconds",
            cards: linear("RA---TAN", "DEC--TAN", [36000, 7200], scale: 0.9)
                + ["CUNIT1  = 'arcsec'", "CUNIT2  = 'arcsec'"]),
        .init(name: "SIN", cards: linear("RA---SIN", "DEC--SIN", [10, 20])),
        .init(name: "SIN beyond the sphere", cards: linear("RA---SIN", "DEC--SIN", [10, 20], scale: 0.2)),
        .init(name: "NCP as SIN", cards: linear("RA---NCP", "DEC--NCP", [10, 60])),
        .init(name: "ZEA", cards: linear("RA---ZEA", "DEC--ZEA", [123, -5], scale: 0.05)),
        .init(name: "ARC", cards: linear("RA---ARC", "DEC--ARC", [123, -5], scale: 0.05)),
        .init(name: "STG", cards: linear("RA---STG", "DEC--STG", [123, -5], scale: 0.05)),
        .init(name: "ZPN", cards: linear("RA---ZPN", "DEC--ZPN", [50, 12]) + ["PV2_1   = 1.0", "PV2_3   = 42.0"]),
        .init(name: "AIT", cards: linear("RA---AIT", "DEC--AIT", [0, 0], scale: 0.3)),
        .init(name: "GLON-TAN", cards: linear("GLON-TAN", "GLAT-TAN", [120, 60])),
        .init(name: "GLON-CAR", cards: linear("GLON-CAR", "GLAT-CAR", [18, 0], scale: 0.1)),
        .init(name: "GLON-AIT", cards: linear("GLON-AIT", "GLAT-AIT", [0, 0], scale: 0.3)),
        .init(name: "TPV", cards: linear("RA---TPV", "DEC--TPV", [187, 25]) + distortion),
        .init(
            name: "TAN with SCAMP's PV", cards: linear("RA---TAN", "DEC--TAN", [187, 25]) + distortion,
            meaning: linear("RA---TPV", "DEC--TPV", [187, 25]) + distortion),
        .init(name: "SIP", cards: linear("RA---TAN-SIP", "DEC--TAN-SIP", [303, 46]) + sip),
        .init(
            name: "SIP with its inverse", cards: linear("RA---TAN-SIP", "DEC--TAN-SIP", [303, 46]) + sip + inverseSIP),
        .init(name: "SIP without the suffix", cards: linear("RA---TAN", "DEC--TAN", [303, 46]) + sip),
        .init(
            name: "SIP beside SCAMP's PV", cards: linear("RA---TAN-SIP", "DEC--TAN-SIP", [303, 46]) + sip + distortion),
        .init(name: "further axes of length 1", cards: degenerate),
    ]
}

struct Grid {
    var x: [Double] = []
    var y: [Double] = []

    /// Corners, edges and inner positions, with fractions.
    init(width: Int, height: Int) {
        for row in 0...12 {
            for column in 0...12 {
                x.append(Double(width) * Double(column) / 12 - 0.5)
                y.append(Double(height) * Double(row) / 12 - 0.5)
            }
        }
    }
}
