import CSEP
import SkyExtraction
import SkyMeasurement
import SkyTestSupport
import Testing

/// The oracle's elementary functions are the kernel's (Tests/CSEP/functions.c), so that all bits can be compared. These
/// tests measure what the C library's would change.
@Suite("libsep with the C library's functions") struct ElementaryOfSEPTests {
    /// The greatest differences of columns, in units of the last place.
    private struct Differences {
        var greatest: [String: UInt64] = [:]
        var counts: [String: Int] = [:]

        mutating func compare(_ own: SourceTable, _ theirs: SourceTable) {
            for column in SourceTable.columns {
                switch column {
                case .int16(_, let path): #expect(own[keyPath: path] == theirs[keyPath: path])
                case .int32(_, let path): #expect(own[keyPath: path] == theirs[keyPath: path])
                case .float(let name, let path): compare(name, own[keyPath: path], theirs[keyPath: path])
                case .double(let name, let path): compare(name, own[keyPath: path], theirs[keyPath: path])
                }
            }
        }

        private mutating func compare<Number: BinaryFloatingPoint>(_ name: String, _ own: [Number], _ theirs: [Number])
        {
            for (a, b) in zip(own, theirs) where a != b && !(a.isNaN && b.isNaN) {
                let steps = (abs(Double(a) - Double(b)) / Double(max(a.magnitude.ulp, b.magnitude.ulp))).rounded()
                greatest[name] = max(greatest[name] ?? 0, steps < 1e15 ? UInt64(steps) : .max)
                counts[name, default: 0] += 1
            }
        }
    }

    @Test("has the same sources, whose numbers differ in their last bits alone")
    func differences() throws {
        var (found, sources) = (Differences(), 0)
        for seed: UInt64 in 1...150 {
            let field = RandomField(seed: seed)
            let oracle = WholeImageSEP(image: field.image, parameters: field.parameters)
            let own = try oracle.run()
            csep_ask_c_library(true)
            let result = Result { try oracle.run() }
            csep_ask_c_library(false)
            let theirs = try result.get()
            try #require(own.count == theirs.count)
            sources += own.count
            found.compare(own, theirs)
        }
        print("differences in units of the last place, of \(sources) sources: \(found.greatest)")
        #expect(sources > 1000)
        #expect(found.greatest.values.allSatisfy { $0 < 64 }, "\(found.greatest)")
    }

    /// The columns that the tables and Docs/ExactScan.md list, with the greatest differences.
    private static let changed: [String: UInt64] = ["kron_radius": 64]

    @Test(
        "gives the catalogues of real images in all bits of single precision, and few others differ in last bits",
        .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)))
    func realImages() throws {
        var (found, sources) = (Differences(), 0)
        for real in RealImages.all {
            let image = try TestImage(contentsOf: real.path)
            for mode in ReferenceTests.Mode.allCases {
                csep_ask_c_library(true)
                let result = Result { try WholeImageSEP(image: image, parameters: mode.parameters).run() }
                csep_ask_c_library(false)
                let scan = try SerialScan(
                    width: image.width, height: image.height, parameters: mode.parameters, requestedRows: 320)
                var own = try FaultsOfSEP.$areKept.withValue(true) { try image.withView(scan.run) }.sources
                let theirs = try result.get()
                try #require(own.count == theirs.count, "\(real) \(mode)")
                // Skyfarm sums these in another order.
                own.photometry.fluxRadius = theirs.photometry.fluxRadius
                sources += own.count
                found.compare(own, theirs)
            }
        }
        print("differences in units of the last place, of \(sources) sources: \(found.greatest) \(found.counts)")
        #expect(found.greatest.allSatisfy { $0.value <= Self.changed[$0.key] ?? 0 }, "\(found.greatest)")
    }
}
