import Foundation
import ScanBasics
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

@Suite struct CalibratedFileTests {
    private let folder: TemporaryFolder
    private let width = 24
    private let height = 20

    init() throws { folder = try TemporaryFolder() }

    private func frame(
        _ name: String, width: Int? = nil, header: [HeaderEntry] = [], _ value: (_ x: Int, _ y: Int) -> Float
    ) throws -> ImageLocation {
        let width = width ?? self.width
        let writer = try FITSImageWriter(
            path: folder.path(name), width: width, height: height, type: .float32, header: header)
        for y in 0..<height { try writer.write(row: (0..<width).map { value($0, y) }) }
        try writer.finish()
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    private func pixels(_ name: String) throws -> [Float] {
        let image = try FITSImage(folder.path(name))
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        return pixels
    }

    private func calibrate(_ frame: ImageLocation, _ recipe: CalibrationRecipe, to name: String = "out.fits") throws {
        let file = CalibratedFile(recipe, try MasterImages(recipe))
        _ = try file.write(frame, to: folder.path(name), overwrite: false, isCompressed: name.hasSuffix(".fz"))
    }

    private func failure(_ frame: ImageLocation, _ recipe: CalibrationRecipe) -> String {
        var text = ""
        do {
            try calibrate(frame, recipe)
        } catch {
            text = "\(error)"
        }
        #expect(!folder.names.contains("out.fits") && !folder.names.contains { $0.hasPrefix(".skyfarm") })
        return text.replacing(folder.path + "/", with: "")
    }

    private func raw(_ x: Int, _ y: Int) -> Float { Float(1000 + 7 * x + 3 * y + (x * y) % 5) }

    @Test("a frame is not calibrated twice by the same step")
    func twice() throws {
        var recipe = CalibrationRecipe()
        recipe.bias = try frame("bias.fits") { _, _ in 100 }
        try calibrate(try frame("raw.fits", raw), recipe, to: "once.fits")
        let once = ImageLocation(path: folder.path("once.fits"), selector: .firstImage)
        #expect(failure(once, recipe).contains("was calibrated by bias before, as its card CALBIAS tells"))
        recipe.bias = nil
        recipe.flat = try frame("flat.fits") { _, _ in 1 }
        try calibrate(once, recipe)
    }

    @Test("a pixel is the raw sample without overscan, bias and dark, divided by the flat")
    func arithmetic() throws {
        let raw = try frame(
            "raw.fits",
            header: [
                HeaderEntry("EXPTIME", .real(30)), HeaderEntry("CRPIX1", .real(10)),
                HeaderEntry("OBJECT", .text("M 1")),
                HeaderEntry("BIASSEC", .text("[21:24,1:20]")), HeaderEntry("TRIMSEC", .text("[3:20,2:20]")),
            ], raw)
        var recipe = CalibrationRecipe()
        (recipe.overscan, recipe.trim, recipe.overscanMethod) = (.automatic, .automatic, .mean)
        recipe.bias = try frame("bias.fits") { x, y in Float(x) / 3 + Float(y) }
        recipe.dark = try frame("dark.fits", width: 18, header: [HeaderEntry("EXPTIME", .real(20))]) { x, _ in
            Float(x) / 7
        }
        recipe.flat = try frame("flat.fits") { x, y in 1 + Float(x - y) / 100 }
        // The dark has the trimmed size in one direction only.
        #expect(failure(raw, recipe).contains("dark.fits[0]: the dark has 18 x 20 pixels, not 18 x 19"))
        recipe.dark = try frame("dark2.fits", header: [HeaderEntry("EXPTIME", .real(20))]) { x, _ in Float(x) / 7 }
        try calibrate(raw, recipe)
        let result = try pixels("out.fits")
        for y in 1..<20 {
            let levels = (20..<24).map { Double(self.raw($0, y)) }
            let overscan = levels.reduce(0, +) / 4
            for x in 2..<20 {
                let bias = Double(Float(x) / 3 + Float(y))
                let dark = Double(Float(x) / 7) * 1.5
                let expected = (Double(self.raw(x, y)) - overscan - bias - dark) / Double(1 + Float(x - y) / 100)
                #expect(result[(y - 1) * 18 + x - 2] == Float(expected))
            }
        }
        let header = try FITSImage(folder.path("out.fits")).header
        #expect(header.number("CRPIX1") == 8 && header.text("OBJECT") == "M 1")
        #expect(header.text("CALBIAS") == "bias.fits" && header.number("CALDFAC") == 1.5)
        #expect(header.words("BIASSEC") == nil && header.words("TRIMSEC") == nil)
    }

    @Test("bad, saturated and missing pixels are in the mask, with their bits")
    func mask() throws {
        let raw = try frame("raw.fits") { x, y in x == 3 ? .nan : x == 5 ? 60_000 : 100 }
        var recipe = CalibrationRecipe()
        recipe.badPixels = try frame("bad.fits") { x, y in x == 5 && y == 2 || x == 7 ? 1 : 0 }
        recipe.flat = try frame("flat.fits") { x, _ in x == 9 ? 0 : x == 10 ? .nan : x == 11 ? -1 : 2 }
        recipe.saturation = .number(60_000)
        try calibrate(raw, recipe)
        let mask = try pixels("out.fits[MASK]")
        let columns = (0..<width).map { mask[$0] }
        #expect(columns[3] == 8 && columns[5] == 2 && columns[7] == 1 && columns[9...11] == [8, 8, 8])
        #expect(mask[2 * width + 5] == 3 && columns[4] == 0)
        let values = try pixels("out.fits")
        #expect(values[3].isNaN && values[5] == 30_000 && values[7].isNaN && values[9].isNaN && values[4] == 50)
        #expect(try FITSImage(folder.path("out.fits[1]")).header.text("MASKBIT1") == "saturated")
        // The mask is no image of the sky, and stays when the frame is calibrated again.
        #expect(try FITSSurvey(of: folder.path("out.fits")).images.map(\.number) == [0])
        let again = ImageLocation(path: folder.path("out.fits"), selector: .firstImage)
        try calibrate(again, CalibrationRecipe(), to: "again.fits")
        #expect(try pixels("again.fits[MASK]") == mask)
    }

    @Test("frames without what is needed are named, and nothing is written")
    func lacking() throws {
        let raw = try frame("raw.fits", raw)
        func recipe(_ change: (inout CalibrationRecipe) throws -> Void) rethrows -> CalibrationRecipe {
            var recipe = CalibrationRecipe()
            try change(&recipe)
            return recipe
        }
        let texts = [
            failure(raw, recipe { $0.overscan = .automatic }), failure(raw, recipe { $0.trim = .automatic }),
            failure(raw, recipe { $0.trim = .section("[1:99,1:9]") }),
            failure(raw, recipe { $0.overscan = .section("[20:24,1:9]") }),
            failure(raw, recipe { $0.saturation = .keyword(["SATURATE"]) }),
            failure(raw, try recipe { $0.bias = try frame("bias.fits", width: 9) { _, _ in 1 } }),
            failure(raw, try recipe { $0.dark = try frame("dark.fits") { _, _ in 1 } }),
            failure(raw, try recipe { $0.flat = try frame("zero.fits") { _, _ in 0 } }),
            failure(raw, try recipe { $0.flat = try frame("nan.fits") { _, _ in .nan } }),
        ]
        let expected = [
            "raw.fits[0]: has no section in the card BIASSEC", "raw.fits[0]: has no section in the card TRIMSEC",
            "raw.fits[0]: the section [1:99,1:9] is not within its 24 x 20 pixels",
            "raw.fits[0]: the overscan [20:24,1:9] has no value for row 10 of the image [1:24,1:20]",
            "raw.fits[0]: has no number above 0 in the card SATURATE, as --saturation needs",
            "bias.fits[0]: the bias has 9 x 20 pixels, not 24 x 20",
            "raw.fits[0]: has no exposure time in EXPTIME, by which the dark is scaled",
            "zero.fits[0]: the median of the flat is 0.0, not above 0",
            "nan.fits[0]: the median of the flat is none, not above 0",
        ]
        for (text, start) in zip(texts, expected) { #expect(text.hasPrefix(start)) }
    }

    @Test("a bias that still has the level of the overscan is refused")
    func levelTwice() throws {
        let raw = try frame("raw.fits") { x, y in x < 20 ? 1500 + Float(y) : 1000 + Float(y) }
        var recipe = CalibrationRecipe()
        recipe.overscan = .section("[21:24,1:20]")
        recipe.bias = try frame("bias.fits") { _, y in 1002 + Float(y) }
        let text = failure(raw, recipe)
        #expect(
            text.hasPrefix("bias.fits[0]: still has the level of the overscan (1011.5, the overscan of raw.fits[0]"))
        #expect(text.contains("which would be subtracted twice"))
        // A small rest of a level, or the bias of calibrated frames, is not refused.
        recipe.bias = try frame("rest.fits") { _, _ in 2 }
        try calibrate(raw, recipe, to: "rest-out.fits")
        recipe.bias = try frame("done.fits", header: [HeaderEntry("CALOVSC", .text("[21:24,1:20]"))]) { _, _ in 900 }
        try calibrate(raw, recipe, to: "done-out.fits")
        recipe.overscan = .none
        recipe.bias = try frame("bias2.fits") { _, _ in 1002 }
        try calibrate(raw, recipe)
    }

    @Test("a card with a section that cannot be read is told of, and no other is used in its place")
    func unreadableSection() throws {
        let data = HeaderEntry("DATASEC", .text("[1:20,1:20]"))
        var recipe = CalibrationRecipe()
        recipe.trim = .automatic
        for (index, text) in ["[1:20;1:20]", "[20:1,1:20]", "none"].enumerated() {
            let raw = try frame("raw\(index).fits", header: [HeaderEntry("TRIMSEC", .text(text)), data], raw)
            #expect(failure(raw, recipe).contains("the card TRIMSEC holds no section, but '\(text)'; give --trim"))
        }
        recipe.trim = .none
        recipe.overscan = .automatic
        let raw = try frame("raw.fits", header: [HeaderEntry("BIASSEC", .text("[21:24]")), data], self.raw)
        #expect(failure(raw, recipe).contains("the card BIASSEC holds no section, but '[21:24]'; give --overscan"))
        // An empty card tells no section.
        recipe.overscan = .none
        recipe.trim = .automatic
        try calibrate(try frame("empty.fits", header: [HeaderEntry("TRIMSEC", .text("")), data], self.raw), recipe)
        #expect(try FITSImage(folder.path("out.fits")).width == 20)
    }

    @Test("the overscan of a window has levels of rows if it lies beside them, whatever its shape")
    func windowedOverscan() throws {
        let trim = PixelSection(x: 0..<100, y: 0..<20)
        #expect(PixelSection(x: 100..<132, y: 0..<20).isBesideRows(of: trim))
        #expect(!PixelSection(x: 0..<100, y: 20..<120).isBesideRows(of: trim))
        #expect(PixelSection(x: 100..<150, y: 1..<20).isBesideRows(of: trim))
        #expect(PixelSection(x: 0..<10, y: 0..<10).isBesideRows(of: PixelSection(width: 10, height: 10)))
        var recipe = CalibrationRecipe()
        (recipe.overscan, recipe.trim) = (.section("[5:24,1:20]"), .section("[1:4,1:20]"))
        try calibrate(try frame("raw.fits") { x, y in x < 4 ? 50 + 2 * Float(y) : 2 * Float(y) }, recipe)
        #expect(try pixels("out.fits").allSatisfy { $0 == 50 })
        (recipe.overscan, recipe.trim) = (.section("[3:24,1:19]"), .section("[1:2,2:18]"))
        try calibrate(
            try frame("wide.fits") { x, y in x < 2 ? 50 + 2 * Float(y) : 2 * Float(y) }, recipe, to: "wide-out.fits")
        #expect(try pixels("wide-out.fits").allSatisfy { $0 == 50 })
    }

    @Test(
        "the name of the table of tiles is not that of the image",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func tableName() throws {
        let script = """
            import sys, numpy as np
            from astropy.io import fits
            h = fits.CompImageHDU(np.ones((20, 30), dtype="uint16"))
            h.writeto(sys.argv[1])
            """
        _ = try AstropyPython.run(["-c", script, folder.path("raw.fits.fz")])
        let raw = ImageLocation(path: folder.path("raw.fits.fz"), selector: .firstImage)
        try calibrate(raw, CalibrationRecipe())
        let image = try FITSImage(folder.path("out.fits[MASK]"))
        #expect(image.header.text(HDU.companionKeyword) == "MASK")
        #expect(try FITSImage(folder.path("out.fits")).header.text("EXTNAME") == nil)
        var request = StackRequest(frames: [raw], method: .mean)
        request.writesCount = true
        try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        #expect(try FITSImage(folder.path("master.fits")).header.text("EXTNAME") == nil)
        #expect(try FITSImage(folder.path("master.fits[COUNT]")).width == 30)
    }

    @Test("pixels of masters without a value, or zero in a flat, have none, and all others do")
    func mastersWithHoles() throws {
        let raw = try frame("raw.fits") { _, _ in 100 }
        var recipe = CalibrationRecipe()
        recipe.bias = try frame("bias.fits") { x, _ in x == 1 ? .nan : x == 2 ? .infinity : 10 }
        recipe.dark = try frame("dark.fits") { x, _ in x == 3 ? .nan : 0 }
        recipe.darkScale = .none
        recipe.flat = try frame("flat.fits") { x, _ in x == 4 ? 0 : 1 }
        try calibrate(raw, recipe)
        let (values, mask) = (try pixels("out.fits"), try pixels("out.fits[MASK]"))
        for x in 0..<width {
            let isMissing = (1...4).contains(x)
            #expect(values[x].isNaN == isMissing && mask[x] == (isMissing ? 8 : 0))
            if !isMissing { #expect(values[x] == 90) }
        }
    }

    @Test("a flat that is not normalised is told of")
    func strangeFlat() throws {
        var recipe = CalibrationRecipe()
        recipe.flat = try frame("flat.fits") { _, _ in 20_000 }
        let masters = try MasterImages(recipe)
        _ = try CalibratedFile(recipe, masters).write(
            try frame("raw.fits", raw), to: folder.path("out.fits"), overwrite: false, isCompressed: false)
        #expect(masters.warnings().count == 1 && masters.warnings()[0].contains("is 20000.0, not about 1"))
    }

    @Test(
        "images of a compressed mosaic are compressed, and further tables are copied",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)), arguments: ["fz", "fits"])
    func mosaic(ending: String) throws {
        let script = """
            import sys, numpy as np
            from astropy.io import fits
            a = np.arange(600, dtype="uint16").reshape(20, 30)
            t = fits.BinTableHDU.from_columns([fits.Column("A", "J", array=[1, 2, 3])], name="GUIDE")
            h = fits.Header([("BIASSEC", "[29:30,1:20]"), ("DATASEC", "[1:28,1:20]"), ("CRPIX1", 5.0)])
            g = fits.Header([("BIASSEC", "[1:2,1:20]"), ("DATASEC", "[3:30,1:20]"), ("CRPIX1", 5.0)])
            k = fits.CompImageHDU if sys.argv[2] == "fz" else fits.ImageHDU
            p = fits.PrimaryHDU(header=fits.Header([("TELESCOP", "X")]))
            fits.HDUList([p, k(a, h, name="A1"), t, k(a + 5, g, name="A2")]).writeto(sys.argv[1])
            """
        let path = folder.path("raw.fits.\(ending)")
        _ = try AstropyPython.run(["-c", script, path, ending])
        var recipe = CalibrationRecipe()
        (recipe.overscan, recipe.trim) = (.automatic, .automatic)
        try calibrate(ImageLocation(path: path, selector: .firstImage), recipe, to: "out.fits.\(ending)")
        let show = """
            import sys
            from astropy.io import fits
            with fits.open(sys.argv[1]) as f:
                for h in f:
                    print(h.name, type(h).__name__, getattr(h, "shape", None), h.header.get("CRPIX1"))
                print(f["A1"].data[3, 0], f["A2"].data[3, 0], f["GUIDE"].data["A"].sum(), f[0].header["TELESCOP"])
            """
        let kind = ending == "fz" ? "CompImageHDU" : "ImageHDU"
        #expect(
            try AstropyPython.run(["-c", show, folder.path("out.fits.\(ending)")]).split(separator: "\n") == [
                "PRIMARY PrimaryHDU () None", "A1 \(kind) (20, 28) 5.0", "A1_MASK \(kind) (20, 28) None",
                "GUIDE BinTableHDU None None", "A2 \(kind) (20, 28) 3.0", "A2_MASK \(kind) (20, 28) None",
                "-28.5 1.5 6 X",
            ])
    }
}
