import Foundation
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

/// Frames that are calibrated window by window, against those that `skyfarm calibrate` writes.
@Suite struct CalibratedImageTests {
    private let folder: TemporaryFolder
    private let width = 60
    private let height = 50

    init() throws { folder = try TemporaryFolder() }

    private func frame(
        _ name: String, width: Int? = nil, type: FITSImageWriter.SampleType = .float32, header: [HeaderEntry] = [],
        _ value: (_ x: Int, _ y: Int) -> Float
    ) throws -> ImageLocation {
        let width = width ?? self.width
        let writer = try FITSImageWriter(
            path: folder.path(name), width: width, height: height, type: type, header: header, overwrite: true)
        for y in 0..<height { try writer.write(row: (0..<width).map { value($0, y) }) }
        try writer.finish()
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    private func raw(_ x: Int, _ y: Int) -> Float {
        let ray: Float = (x * 31 + y * 17) % 401 == 0 ? 4000 : 0
        return Float(1000 + 7 * x % 13 + 3 * y % 11 + (x * y) % 5) + ray
    }

    /// The steps of a recipe, and where its overscan is.
    private func recipe(isByRow: Bool, rays: Bool) throws -> CalibrationRecipe {
        var recipe = CalibrationRecipe()
        recipe.overscan = .section(isByRow ? "[55:60,1:50]" : "[1:60,47:50]")
        recipe.trim = .section(isByRow ? "[3:54,2:49]" : "[2:59,1:46]")
        recipe.bias = try frame("bias.fits") { x, y in Float(x) / 3 + Float(y) }
        recipe.dark = try frame("dark.fits", header: [HeaderEntry("EXPTIME", .real(20))]) { x, _ in Float(x) / 7 }
        recipe.flat = try frame("flat.fits") { x, y in x == 20 ? 0 : 1 + Float(x - y) / 300 }
        recipe.badPixels = try frame("bad.fits") { x, y in x == 7 && y > 20 ? 1 : 0 }
        if rays { recipe.cosmicRays = CosmicRayParameters() }
        return recipe
    }

    private func pixels(_ image: FITSImage) throws -> [Float] {
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        return pixels
    }

    private func read(_ image: CalibratedImage, of file: FITSImage, _ window: PixelRect, isCut: Bool) throws -> [Float]
    {
        var pixels = [Float](repeating: 0, count: window.area)
        try pixels.withUnsafeMutableBufferPointer { target in
            try image.read(window, into: target, isCut: isCut) {
                try file.read(rows: $0.y, columns: $0.x, into: $1)
            }
        }
        return pixels
    }

    @Test("any window has the pixels, and the header is that, of the calibrated file", arguments: [true, false])
    func windows(isByRow: Bool) throws {
        let frame = try frame(
            "raw.fits", type: .uint16,
            header: [
                HeaderEntry("EXPTIME", .real(30)), HeaderEntry("CRPIX1", .real(10)),
                HeaderEntry("OBJECT", .text("M 1")),
            ], raw)
        for rays in [false, true] {
            let recipe = try recipe(isByRow: isByRow, rays: rays)
            let calibration = try FrameCalibration(recipe)
            _ = try CalibratedFile(recipe, calibration.masters).write(
                frame, to: folder.path("out.fits"), overwrite: true, isCompressed: false)
            let written = try FITSImage(folder.path("out.fits"))
            let expected = try pixels(written).map(\.bitPattern)
            let file = try FITSImage(frame)
            let place = ImagePlace(index: 0, inFile: 0)
            let image = try CalibratedImage(file, calibration, at: place)
            #expect(image.width == written.width && image.height == written.height)
            let whole = PixelRect(x: 0..<image.width, y: 0..<image.height)
            let parts = [
                whole, PixelRect(x: whole.x, y: 11..<30), PixelRect(x: 5..<17, y: 40..<46),
                PixelRect(x: 0..<1, y: 0..<1), whole,
            ]
            for (window, isCut) in parts.flatMap({ [($0, true), ($0, false)] }) {
                let own = try read(image, of: file, window, isCut: isCut).map(\.bitPattern)
                let part = window.y.flatMap { row in
                    expected[row * image.width..<(row + 1) * image.width][
                        row * image.width + window.x.lowerBound..<row * image.width + window.x.upperBound]
                }
                #expect(own == part)
            }
            let cards = (0..<written.header.count).map { written.header[$0] }.filter { !$0.hasPrefix("CALNCR") }
            #expect((0..<image.header.count).map { image.header[$0] } == cards)
        }
    }

    @Test("the mask of an earlier calibration counts")
    func earlierMask() throws {
        let frame = try frame("raw.fits", raw)
        var recipe = CalibrationRecipe()
        recipe.badPixels = try self.frame("bad.fits") { x, _ in x == 9 ? 1 : 0 }
        _ = try CalibratedFile(recipe, try MasterImages(recipe)).write(
            frame, to: folder.path("once.fits"), overwrite: true, isCompressed: false)
        var second = CalibrationRecipe()
        second.flat = try self.frame("flat.fits") { _, _ in 2 }
        let file = try FITSImage(folder.path("once.fits"))
        let image = try CalibratedImage(file, try FrameCalibration(second), at: ImagePlace(index: 0, inFile: 0))
        let row = try read(image, of: file, PixelRect(x: 0..<width, y: 3..<4), isCut: true)
        #expect(row[9].isNaN && row[8] == raw(8, 3) / 2)
    }

    @Test("a master that changes during the work is noticed")
    func changed() throws {
        let frame = try frame("raw.fits", raw)
        var recipe = CalibrationRecipe()
        recipe.flat = try self.frame("flat.fits") { _, _ in 1 }
        let calibration = try FrameCalibration(recipe)
        let sums = try calibration.masters.checksums()
        let file = try FITSImage(frame)
        let image = try CalibratedImage(file, calibration, at: ImagePlace(index: 0, inFile: 0))
        try image.requireUnchanged()
        try FileManager.default.removeItem(atPath: folder.path("flat.fits"))
        _ = try self.frame("flat.fits") { _, _ in 1.5 }
        #expect(throws: ImageError.self) { try image.requireUnchanged() }
        #expect(try FrameCalibration(recipe).masters.checksums() != sums)
    }
}
