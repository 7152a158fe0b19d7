import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("planes of cubes")
struct PlaneTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("astropy_planes.py").path

    @Test(
        "are astropy's, of every sample type and compression, in windows and without padding",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func pixels() throws {
        let made = try AstropyPython.run([Self.script, folder.path]).split(separator: "\n")
        #expect(made.count == 14)
        for line in made {
            let parts = line.split(separator: " ").map(String.init)
            let path = folder.path(parts[0])
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path + ".pixels"))
            let wanted = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            for plane in 1...4 {
                let image = try FITSImage("\(path)[\(parts[1])][\(plane)]")
                #expect(image.plane == plane && (image.width, image.height) == (41, 33))
                let area = 41 * 33
                let part = wanted[(plane - 1) * area..<plane * area].map(\.bitPattern)
                #expect(try image.pixels().map(\.bitPattern) == part, "\(line), plane \(plane)")
                let (rows, columns) = (5..<29, 3..<40)
                let window = rows.flatMap { row in columns.map { part[row * 41 + $0] } }
                #expect(try image.pixels(rows: rows, columns: columns).map(\.bitPattern) == window)
                guard let stored = try StoredSamples(image, in: image.stored.opened()) else { continue }
                #expect(try stored.pixels(rows: rows, columns: columns)?.map(\.bitPattern) == window, "\(line)")
            }
            expect(.noSuchHDU, "its planes are 1 to 4") { try FITSImage("\(path)[\(parts[1])][5]") }
        }
    }

    private func file(_ axes: [Int]) throws -> String {
        let count = axes.reduce(1, *)
        return try folder.write(
            (RawFITS() + RawFITS.image(bitpix: 16, axes: axes, extra: [RawFITS.card("CRPIX1", "7.0")])
                + RawFITS.bytes((0..<count).map { Int16($0) })).bytes, "c.fits")
    }

    @Test("are selected by a second number, which counts from 1")
    func selector() throws {
        let path = try file([5, 4, 3])
        #expect(try ImageLocation("\(path)[0][2]") == ImageLocation(path: path, selector: .plane(2, of: .number(0))))
        #expect(try ImageLocation("\(path)[0][2]").description == "\(path)[0][2]")
        #expect(
            try ImageLocation("x.fits[SCI,2][30]").selector == .plane(30, of: .name("SCI", version: 2)))
        for text in ["[0][0]", "[0][-1]", "[0][x]", "[0][1][1]", "[][1]", "[0][]", "[0] [1]"] {
            expect(.invalidSelector, "selects no HDU") { try ImageLocation("x.fits\(text)") }
        }
        let image = try FITSImage("\(path)[0][2]")
        #expect(try image.pixels() == (20..<40).map { Float($0) })
        #expect(image.header.number("NAXIS") == 2 && image.header.words("NAXIS3") == nil)
        #expect(image.header.number("CRPIX1") == 7)
    }

    @Test("of a colour camera are three images; other cubes say how to select a plane")
    func survey() throws {
        let colours = try FITSSurvey(of: file([5, 4, 3]))
        #expect(colours.images.map(\.plane) == [1, 2, 3] && colours.images.map(\.number) == [0, 0, 0])
        for axes in [[5, 4, 7], [5, 4, 3, 2], [5, 4, 2]] {
            let path = try file(axes)
            expect(.noImage, "select a plane, as in '\(path)[0][1]', or scan all with --plane all") {
                try FITSSurvey(of: path)
            }
            expect(.noImage, "write its planes to files of their own, each of them a frame") {
                try FITSSurvey(of: path, planes: .colours, keepsHeaders: true)
            }
            #expect(try FITSSurvey(of: path, planes: .all).images.count == axes.dropFirst(2).reduce(1, *))
            #expect(try FITSSurvey(of: path, planes: .number(2)).images.map(\.plane) == [2])
        }
        #expect(try FITSSurvey(of: file([5, 4, 1]), planes: .all).images.map(\.plane) == [nil])
    }
}
