import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyCatalogue
import SkyFITS

/// A program that uses the library and has set a locale in which numbers have a comma.
@Suite("in a locale with a comma", .enabled(if: access("/usr/bin/localedef", X_OK) == 0, "needs localedef (libc-bin)"))
struct CommaLocaleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `body` on this thread in a locale whose decimal point is a comma.
    private func withComma<Result>(_ body: () throws -> Result) throws -> Result {
        let text = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n"
        let source = try folder.write(Array(text.utf8), "comma.source")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/localedef")
        // It warns of the categories that are not defined.
        process.arguments = ["-c", "-i", source, "-f", "ANSI_X3.4-1968", folder.path("comma")]
        process.standardError = nil
        try process.run()
        process.waitUntilExit()
        setenv("LOCPATH", folder.path, 1)
        let locale = newlocale(LC_NUMERIC_MASK, "comma", nil)
        unsetenv("LOCPATH")
        let comma = try #require(locale)
        // Only this thread uses the locale: other tests run beside it.
        let before = uselocale(comma)
        defer {
            uselocale(before)
            freelocale(comma)
        }
        var digits = [CChar](repeating: 0, count: 16)
        _ = withVaList([0.5]) { vsnprintf(&digits, digits.count, "%.1f", $0) }
        try #require(digits.prefix(4).elementsEqual([48, 44, 53, 0]))
        return try body()
    }

    @Test("catalogues of all formats have the same bytes", arguments: CatalogueFormat.allCases)
    func catalogues(format: CatalogueFormat) throws {
        func bytes(_ name: String) throws -> Data {
            let output = CatalogueOutput(path: folder.path(name), format: format)
            try output.write(format == .reg ? CatalogueWriterTests.regions : SampleTable.make())
            return try Data(contentsOf: URL(fileURLWithPath: output.path))
        }
        let expected = try bytes("a")
        #expect(try withComma { try bytes("b") } == expected)
    }

    @Test("headers of images are written and read as elsewhere")
    func images() throws {
        func write(_ name: String) throws -> String {
            let header = [
                HeaderEntry("CRVAL1", .real(12.3456789), comment: "a"),
                HeaderEntry("EXPTIME", .real(0.5), comment: "b"),
            ]
            let writer = try FITSImageWriter(
                path: folder.path(name), width: 2, height: 1, type: .float32, header: header)
            try writer.write(row: [0.5, 1.25])
            try writer.finish()
            return folder.path(name)
        }
        let expected = try write("a.fits")
        let found = try withComma { try write("b.fits") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: found)) == Data(contentsOf: URL(fileURLWithPath: expected)))
        let value = try withComma { () -> Double? in
            let file = try FITSFile(path: expected)
            return try FITSLibrary.run { () throws(ImageError) -> Double? in
                _ = try file.move(to: 0)
                return file.real("CRVAL1")
            }
        }
        #expect(value == 12.3456789)
        #expect(try withComma { 1234.5.fixed(2) } == "1234.50")
    }
}
