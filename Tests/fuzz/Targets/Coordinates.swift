import SkyFITS

extension FuzzTarget {
    /// The cards of a header through WCSLIB: from pixels to the sky and back.
    static let coordinates = FuzzTarget(name: "coordinates") { bytes in
        let header = FITSHeader(bytes: Array(bytes))
        precondition(LookupTables(header)?.note(file: nil).isEmpty != true)
        do throws(WCSUnavailable) {
            let sky = try CelestialWCS(header: header)
            precondition(sky.notes.allSatisfy { !$0.isEmpty })
            let (ra, dec) = sky.coordinates(x: [0, 10.5, -1e9], y: [0, 3, 1e9])
            precondition(ra.count == 3 && dec.count == 3 && ra.allSatisfy { $0.isNaN || (0...360).contains($0) })
            let (x, y) = sky.pixels(rightAscension: ra, declination: dec)
            precondition(x.count == 3 && y.count == 3)
        } catch {
            precondition(!error.description.isEmpty)
        }
    } seeds: {
        let sip = [
            "A_ORDER = 2", "B_ORDER = 2", "A_2_0   = 1.2E-05", "B_0_2   = 9.0E-06", "AP_ORDER= 2", "BP_ORDER= 2",
        ]
        let numbers = "lngcor = \"3. 2. 2. 0. -0.5 0.5 -0.5 0.5 0. 0.001 0.002 \"'"
        let text = ["WAT1_001= 'wtype=tnx axtype=ra", "WAT2_001= 'wtype=tnx axtype=dec"].enumerated().flatMap {
            index, start in
            [start + "'", "WAT\(index + 1)_002= '" + (index == 0 ? numbers : numbers.replacing("lng", with: "lat"))]
        }
        let plate = [
            "PLTRAH  = 14", "PLTRAM  = 37", "PLTRAS  = 4.68E+01", "PLTDECSN= '-'", "PLTDECD = 60", "PLTDECM = 12",
            "PLTDECS = 5.9E+01", "CNPIX1  = 8860", "CNPIX2  = 1708", "XPIXELSZ= 25.28", "YPIXELSZ= 25.28",
            "PPO3    = 1.7E+05", "PPO6    = 1.7E+05", "AMDX1   = 67.0", "AMDY1   = 67.0", "AMDX2   = -0.1",
        ]
        let seeds = [
            "tan": header("TAN"), "sip": header("TAN-SIP", sip),
            "tpv": header("TPV", ["PV1_1   = 1.01", "PV2_5   = 0.1"]),
            "zpn": header("ZPN-SIP", sip + ["PV2_1   = 1.0", "PV2_3   = 42.0"]), "tnx": header("TNX", text),
            "galactic": header("AIT", type: ("GLON", "GLAT-")), "plate": plate,
            "tables": header("TAN", ["CPDIS1  = 'Lookup'", "DP1     = 'EXTVER: 1'", "CPERR1  = 0.1"]),
            "third": header("SIN", ["CTYPE3  = 'FREQ'", "CRVAL3  = 1.4D9", "PC3_3   = 1.0", "WCSAXES = 3"]),
        ]
        return seeds.mapValues { FITSHeader(cards: $0).bytes }
    }

    private static func header(
        _ projection: String, _ further: [String] = [], type: (String, String) = ("RA--", "DEC--")
    ) -> [String] {
        [
            "CTYPE1  = '\(type.0)-\(projection)'", "CTYPE2  = '\(type.1)\(projection)'", "CRPIX1  = 512.0",
            "CRPIX2  = 400.0", "CRVAL1  = 150.0", "CRVAL2  = 2.0", "CD1_1   = -2.5E-4", "CD1_2   = 0.0",
            "CD2_1   = 0.0",
            "CD2_2   = 2.5E-4", "CUNIT1  = 'deg'", "RADESYS = 'FK5'", "EQUINOX = 2000.0", "LONPOLE = 180.0",
        ] + further
    }
}
