import CElementary

/// Prints a checksum of positions of pixels in the sky and of the way back, for random gnomonic planes with and without
/// distortions. Compiled with the sources of SkyFITS's planes as Embedded Swift, so that it runs wherever C does.
@_silgen_name("report_checksum") private func report(_ sum: UInt64)

/// SplitMix64.
private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    mutating func uniform(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * (Double(next() >> 11) * 0x1p-53)
    }
}

/// Positions of each plane.
private let perPlane = 100

private func plane(_ numbers: inout Numbers) -> GnomonicPlane {
    let kind = numbers.next() % 3
    let scale = numbers.uniform(1e-5, 1e-3)
    let matrix = (
        xx: -scale, xy: scale * numbers.uniform(-0.1, 0.1), yx: scale * numbers.uniform(-0.1, 0.1), yy: scale
    )
    let pole = (
        longitude: numbers.uniform(0, 360), latitude: numbers.uniform(-90, 90), turn: numbers.uniform(-180, 180)
    )
    var values: [String: Double] = [:]
    for (keyword, size) in [
        ("A_2_0", 1e-5), ("A_1_1", 1e-5), ("A_0_3", 1e-8), ("B_0_2", 1e-5), ("B_3_0", 1e-8), ("B_1_2", 1e-8),
        ("PV1_0", 2e-3), ("PV1_2", 2e-3), ("PV1_3", 2e-3), ("PV1_6", 2e-3), ("PV1_11", 2e-3), ("PV1_23", 2e-3),
        ("PV2_2", 2e-3), ("PV2_4", 2e-3), ("PV2_7", 2e-3), ("PV2_12", 2e-3), ("PV2_39", 2e-3),
    ] {
        values[keyword] = numbers.uniform(-size, size)
    }
    values["PV1_1"] = numbers.uniform(0.98, 1.02)
    values["PV2_1"] = numbers.uniform(0.98, 1.02)
    return GnomonicPlane(
        pixel: (numbers.uniform(0, 1000), numbers.uniform(0, 1000)), matrix: matrix,
        sip: kind == 1 ? PlaneMap(sip: values) : nil,
        tpv: kind == 2 ? PlaneMap(tpv: values, longitudeAxis: 1, latitudeAxis: 2) : nil, pole: pole)
}

/// Computes at least `count` positions.
@_cdecl("test_projections") public func testProjections(_ count: Int) {
    var (numbers, sum) = (Numbers(state: 22), 0xcbf2_9ce4_8422_2325 as UInt64)
    func add(_ value: Double) {
        // NaNs have a sign and bits that processors choose.
        sum = (sum ^ (value.isNaN ? 0 : value.bitPattern)) &* 0x100_0000_01b3
        sum ^= sum >> 29
    }
    for _ in 0..<(count + perPlane - 1) / perPlane {
        let plane = plane(&numbers)
        for _ in 0..<perPlane {
            let (x, y) = (numbers.uniform(-500, 3000), numbers.uniform(-500, 3000))
            let sky = plane.world(x: x, y: y)
            let back = plane.pixel(longitude: sky.longitude, latitude: sky.latitude)
            add(sky.longitude)
            add(sky.latitude)
            add(back.x)
            add(back.y)
        }
    }
    report(sum)
}
