import SkyCatalogue
import SkyFITS

/// A table with a column of every type and values that are hard to format.
enum SampleTable {
    static let doubles: [Double] = [0.1, 1.0 / 3, -0.0, .leastNonzeroMagnitude, 1.797e308, 123_456_789.123_456_78]
    static let floats: [Float] = [0.1, 1.0 / 3, -0.0, .leastNonzeroMagnitude, 3.4e38, 1.2345678]

    static func make(rows: Int = 6) -> CatalogueTable {
        func cycle<Value>(_ values: [Value]) -> [Value] { (0..<rows).map { values[$0 % values.count] } }
        return CatalogueTable(
            columns: [
                .init("number", description: "Running number", .int32((0..<rows).map { Int32($0 + 1) })),
                .init("flag", description: "Flags", .int16(cycle([0, 1, .min, .max, 16, 2]))),
                .init("npix", description: "Pixels, \"all\" of them", .int64(cycle([5, .min, .max, 0, 1, 7]))),
                .init("x", unit: "pix", description: "Column: centre of the first is 0", .double(cycle(doubles))),
                .init("flux", unit: "adu", description: "Flux's sum", .float(cycle(floats))),
                .init(
                    "ra", unit: "deg", description: "Right ascension", .double(cycle([1, .nan, .infinity, -.infinity]))),
                .init("cxx", unit: "pix-2", description: "Ellipse", .float(cycle([1, .nan, .infinity, -.infinity]))),
            ],
            header: [
                HeaderEntry("CREATOR", .text("Skyfarm 'x': # {y}"), comment: "the program"),
                HeaderEntry("THRESH", .real(1.5), comment: "threshold"), HeaderEntry("TINY", .real(1e-20)),
                HeaderEntry("MINAREA", .integer(5)), HeaderEntry("CLEAN", .logical(true)),
                HeaderEntry("LONGTEXT", .text(String(repeating: "long ", count: 30) + "end")),
            ],
            history: ["first line", "second: line"])
    }
}
