import Foundation
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

/// Whether masters fit the frames to which they are applied: what was subtracted from each, and where each lies.
@Suite struct MasterFitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let overscanned = HeaderEntry("CALOVSC", .text("[21:24,1:10]"))
    private static let combined = HeaderEntry("COMBMETH", .text("median"))
    private static let biased = HeaderEntry("COMBBIAS", .text("bias.fits"))

    private func frame(
        _ name: String, _ level: Float, _ header: [HeaderEntry] = [], width: Int = 20
    ) throws -> ImageLocation {
        let writer = try FITSImageWriter(
            path: folder.path(name), width: width, height: 10, type: .float32, header: header)
        for row in 0..<10 { try writer.write(row: (0..<width).map { level + Float($0 + row) }) }
        try writer.finish()
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    private func time(_ seconds: Double) -> HeaderEntry { HeaderEntry("EXPTIME", .real(seconds)) }

    /// The error of a calibration, or else the warnings.
    private func words(_ raw: ImageLocation, _ change: (inout CalibrationRecipe) throws -> Void) throws -> String {
        var recipe = CalibrationRecipe()
        try change(&recipe)
        let masters = try MasterImages(recipe)
        let output = folder.path("out.fits")
        defer { try? FileManager.default.removeItem(atPath: output) }
        do {
            _ = try CalibratedFile(recipe, masters).write(raw, to: output, overwrite: false, isCompressed: false)
        } catch {
            #expect(!folder.names.contains("out.fits"))
            return "\(error)".replacing(folder.path + "/", with: "")
        }
        return masters.warnings().joined(separator: "\n").replacing(folder.path + "/", with: "")
    }

    private func first() throws -> Float {
        let image = try FITSImage(folder.path("out.fits"))
        var row = [Float](repeating: 0, count: image.width)
        try row.withUnsafeMutableBufferPointer { try image.read(rows: 0..<1, into: $0) }
        return row[0]
    }

    @Test("masters whose overscan is subtracted are refused for a frame that keeps its level")
    func overscan() throws {
        let raw = try frame("raw.fits", 1000, [time(60)])
        let bias = try frame("bias.fits", 2, [Self.combined, Self.overscanned])
        let dark = try frame("dark.fits", 5, [Self.combined, Self.overscanned, time(60)])
        let flat = try frame("flat.fits", 1, [Self.combined, Self.biased])
        #expect(
            try words(raw) { $0.bias = bias }
                == "bias.fits[0]: its overscan is subtracted, as its card CALOVSC tells, but not that of raw.fits[0], "
                + "which would keep its level; add --overscan auto")
        #expect(try words(raw) { $0.dark = dark }.hasSuffix("would keep its level; add --overscan auto"))
        let note = try words(raw) { $0.flat = flat }
        #expect(note.hasSuffix("is applied to frames that keep theirs; add --bias, or --overscan auto"), "\(note)")
        // The overscan of the frame is subtracted now, or was.
        let wide = try frame("wide.fits", 1000, [time(60)], width: 24)
        for master in [bias, dark] {
            let now = try words(wide) { recipe in
                (recipe.overscan, recipe.trim) = (.section("[21:24,1:10]"), .section("[1:20,1:10]"))
                if master == bias { recipe.bias = master } else { recipe.dark = master }
            }
            #expect(now.isEmpty, "\(now)")
        }
        let done = try frame("done.fits", 50, [time(60), Self.overscanned])
        #expect(try words(done) { $0.bias = bias }.isEmpty)
        // The other way round: the level would be subtracted twice.
        let level = try frame("level.fits", 1000, [Self.combined])
        #expect(
            try words(done) { $0.bias = level }.contains("level.fits[0]: still has its level (1014.0), and that of"))
        let full = try frame("full.fits", 1004, [Self.combined, time(60)])
        #expect(try words(done) { $0.dark = full }.contains("full.fits[0]: still has its level, and that of done.fits"))
        let twice = try words(wide) { recipe in
            (recipe.overscan, recipe.trim, recipe.dark) = (.section("[21:24,1:10]"), .section("[1:20,1:10]"), full)
        }
        #expect(twice.contains("full.fits[0]: still has the level of the overscan"), "\(twice)")
    }

    @Test(
        "cards of IRAF and ccdproc tell what was subtracted, and numbers in cards of the same names do not",
        arguments: [
            (HeaderEntry("OVERSCAN", .text("Mar 12 11:02 Overscan section is [21:24,1:10] with mean=1000.")), true),
            (HeaderEntry("SUBOSCAN", .text("ccd=<CCDData>, overscan=<CCDData>")), true),
            (HeaderEntry("OVERSCAN", .integer(32)), false), (HeaderEntry("OVERSCAN", .text("YES")), false),
        ])
    func foreign(card: HeaderEntry, isStep: Bool) throws {
        let raw = try frame("raw.fits", 1000)
        let bias = try frame("bias.fits", 2, [card])
        let text = try words(raw) { $0.bias = bias }
        #expect(text.contains("its overscan is subtracted, as its card \(card.key) tells") == isStep, "\(text)")
        #expect(isStep || text.isEmpty)
    }

    @Test("a dark with its bias is refused beside a bias, by its cards or its level")
    func biasTwice() throws {
        let raw = try frame("raw.fits", 1100, [time(60)])
        let bias = try frame("bias.fits", 1000)
        let own = try frame("own.fits", 1005, [Self.combined, time(60)])
        let other = try frame("other.fits", 1005, [time(60)])
        for dark in [own, other] {
            let text = try words(raw) { ($0.bias, $0.dark) = (bias, dark) }
            #expect(
                text.contains("still has its bias (its median is 1019.0, that of the bias 1014.0), which"), "\(text)")
            #expect(text.hasSuffix("combine the darks with --bias, or leave out --bias and add --dark-scale none"))
        }
        // Without a level in both, cards decide.
        let done = try frame("done.fits", 50, [time(60), Self.overscanned])
        let small = try frame("small.fits", -14, [Self.combined, Self.overscanned])
        let rest = try frame("rest.fits", -10, [Self.combined, Self.overscanned, time(60)])
        #expect(try words(done) { ($0.bias, $0.dark) = (small, rest) }.contains("(no card COMBBIAS tells that it is"))
        // A dark without bias is right, as its card or its level tells.
        let lacking = try frame("lacking.fits", 5, [Self.combined, Self.biased, time(60)])
        let low = try frame("low.fits", 5, [time(30)])
        for dark in [lacking, low] { #expect(try words(raw) { ($0.bias, $0.dark) = (bias, dark) }.isEmpty) }
        #expect(
            try words(raw) { $0.dark = lacking }
                == "lacking.fits[0]: its bias is subtracted, as its card COMBBIAS tells, but not that of raw.fits[0], which "
                + "would keep it; add --bias")
    }

    @Test("a dark with its bias is not scaled")
    func scaling() throws {
        let raw = try frame("raw.fits", 1100, [time(60.03)])
        let same = try frame("same.fits", 1005, [Self.combined, time(60)])
        let long = try frame("long.fits", 1005, [Self.combined, time(120)])
        #expect(try words(raw) { $0.dark = same }.isEmpty)
        let text = try words(raw) { $0.dark = long }
        #expect(text.contains("long.fits[0]: still has its bias, as its cards tell, which does not grow from 120.0 s"))
        #expect(try words(raw) { ($0.dark, $0.darkScale) = (long, .none) }.isEmpty)
        let unknown = try frame("unknown.fits", 5, [time(120)])
        #expect(
            try words(raw) { $0.dark = unknown }.contains("and no card tells that its bias is subtracted; add --bias"))
        var recipe = CalibrationRecipe()
        recipe.dark = same
        _ = try CalibratedFile(recipe, try MasterImages(recipe)).write(
            raw, to: folder.path("out.fits"), overwrite: false, isCompressed: false)
        #expect(try first() == 95)
        // A dark that is known to be without its bias is, also by a little.
        #expect(
            try ExposureTime.factor(
                of: FramePixels(same).summary, lacksLevel: true, for: (raw, 60.03), .exptime) == 60.03 / 60)
    }

    @Test(
        "a master of the size of the trimmed frame, but of another section, is refused",
        arguments: [
            HeaderEntry("CALTRIM", .text("[2:21,1:10]")), HeaderEntry("TRIMSEC", .text("[2:21,1:10]")),
            HeaderEntry("TRIM", .text("Mar 12 11:02 Trim data section is [2:21,1:10]")),
        ])
    func section(card: HeaderEntry) throws {
        let raw = try frame("raw.fits", 1000, [], width: 24)
        let flat = try frame("flat.fits", 1, [card])
        let text = try words(raw) { ($0.flat, $0.trim) = (flat, .section("[3:22,1:10]")) }
        #expect(
            text
                == "flat.fits[0]: the flat is the section [2:21,1:10] of the raw image, not [3:22,1:10] as the trimmed "
                + "frames; name one of such frames")
        #expect(try !words(raw) { ($0.flat, $0.trim) = (flat, .section("[2:21,1:10]")) }.contains("section"))
        // So is one for a frame that was trimmed before.
        let done = try frame("done.fits", 1000, [HeaderEntry("CALTRIM", .text("[3:22,1:10]"))])
        #expect(try words(done) { $0.flat = flat }.contains("is the section [2:21,1:10] of the raw image"))
        // And frames of two sections are not combined.
        let other = try frame("other.fits", 1, [HeaderEntry("CALTRIM", .text("[3:22,1:10]"))])
        #expect(
            failure([flat, other]).contains("other.fits[0]: is the section [3:22,1:10] of the raw image, not [2:21"))
    }

    @Test("a master of another window of the camera is refused")
    func window() throws {
        func place(_ x: Int) -> [HeaderEntry] {
            [HeaderEntry("XORGSUBF", .integer(x)), HeaderEntry("YORGSUBF", .integer(0))]
        }
        let raw = try frame("raw.fits", 1000, place(100))
        let bias = try frame("bias.fits", 990, place(0))
        #expect(try words(raw) { $0.bias = bias }.contains("the bias has the window XORGSUBF = 0.0, not 100.0"))
    }

    // MARK: - Combination

    private func failure(_ frames: [ImageLocation], _ change: (inout StackRequest) -> Void = { _ in }) -> String {
        var request = StackRequest(frames: frames, method: .mean)
        change(&request)
        defer { try? FileManager.default.removeItem(atPath: folder.path("master.fits")) }
        do {
            try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        } catch {
            return "\(error)".replacing(folder.path + "/", with: "")
        }
        return ""
    }

    @Test("frames that are combined have had the same steps, and masters fit them")
    func combination() throws {
        let raw = try frame("a.fits", 1000)
        let done = try frame("b.fits", 10, [Self.overscanned])
        #expect(
            failure([raw, done])
                == "b.fits[0]: was calibrated by overscan, as its card CALOVSC tells, but a.fits[0] was not; combine frames "
                + "of one kind")
        #expect(
            failure([done, raw]).hasPrefix("a.fits[0]: was not calibrated by overscan, as b.fits[0] was by its card"))
        let bias = try frame("bias.fits", 2, [Self.combined, Self.overscanned])
        #expect(
            failure([raw]) { $0.bias = bias }.hasSuffix(
                "calibrate the frames with --overscan auto before they are combined"))
        #expect(failure([done]) { $0.bias = bias }.isEmpty)
        let level = try frame("level.fits", 1000, [Self.combined])
        #expect(failure([done]) { $0.bias = level }.contains("level.fits[0]: still has its level (1014.0)"))
        let once = try frame("once.fits", 10, [HeaderEntry("CALBIAS", .text("bias.fits"))])
        #expect(
            failure([once]) { $0.bias = level }.contains("was calibrated by bias before, as its card CALBIAS tells"))
        let dark = try frame("dark.fits", 1003, [Self.combined, time(9)])
        #expect(
            failure([raw]) { ($0.bias, $0.dark, $0.darkScale) = (level, dark, .none) }.contains(
                "dark.fits[0]: still has its"))
    }

    @Test("a master tells the steps of its frames, also if they had other sections and masters")
    func several() throws {
        let frames = try (1...2).map { index in
            try frame(
                "f\(index).fits", 10,
                [
                    HeaderEntry("CALOVSC", .text("[21:2\(index + 3),1:10]")),
                    HeaderEntry("CALBIAS", .text("b\(index).fits")),
                    HeaderEntry("TRIM", .text("Mar 12 11:0\(index) Trim data section is [1:20,1:10]")),
                ])
        }
        try MasterStack(StackRequest(frames: frames, method: .mean)).write(
            to: folder.path("several.fits"), overwrite: false
        ) { _ in }
        let header = try FITSImage(folder.path("several.fits")).header
        #expect(header.text("CALOVSC") == "several" && header.text("CALBIAS") == "several")
        #expect(header.text("CALTRIM") == "[1:20,1:10]" && header.text("CALFLAT") == nil)
    }

    /// Which steps the frames of bias and dark and the light frame have had, and what is subtracted of the latter.
    private struct Steps: CustomStringConvertible {
        let number: Int

        private func bit(_ place: Int) -> Bool { number >> place & 1 == 1 }
        var biasOverscan: Bool { bit(0) }
        var darkOverscan: Bool { bit(1) }
        var darkBias: Bool { bit(2) }
        var overscan: Bool { bit(3) }
        var bias: Bool { bit(4) }
        var dark: Bool { bit(5) }
        var exposure: Double { bit(6) ? 60 : 120 }

        var description: String {
            "overscan of bias \(biasOverscan), of dark \(darkOverscan), of light \(overscan); bias of dark \(darkBias); "
                + "bias \(bias), dark \(dark) of 60 s for \(exposure) s"
        }
    }

    /// A raw frame with the level 1000, a bias of 20, a dark current of 0.5 per second and light; its overscan has the
    /// level alone.
    private func raw(_ name: String, _ seconds: Double, light: Float = 0) throws -> ImageLocation {
        let writer = try FITSImageWriter(
            path: folder.path(name), width: 24, height: 10, type: .float32, header: [time(seconds)], overwrite: true)
        let image = 1020 + Float(seconds) / 2 + light
        for _ in 0..<10 { try writer.write(row: (0..<24).map { $0 < 20 ? image : 1000 }) }
        try writer.finish()
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    /// Combines a frame, without its overscan or with it, into a master.
    private func master(
        _ name: String, of frame: ImageLocation, overscan: Bool, bias: ImageLocation? = nil
    ) throws -> ImageLocation {
        let sections = Self.sections(overscan)
        let trimmed = folder.path("trimmed.fits")
        _ = try CalibratedFile(sections, try MasterImages(sections)).write(
            frame, to: trimmed, overwrite: true, isCompressed: false)
        var request = StackRequest(frames: [ImageLocation(path: trimmed, selector: .firstImage)], method: .mean)
        request.bias = bias
        try MasterStack(request).write(to: folder.path(name), overwrite: true) { _ in }
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    private static func sections(_ overscan: Bool) -> CalibrationRecipe {
        var recipe = CalibrationRecipe()
        recipe.trim = .section("[1:20,1:10]")
        if overscan { recipe.overscan = .section("[21:24,1:10]") }
        return recipe
    }

    /// The pixels of the light frame after these steps; nil if they are refused or warned of.
    private func result(_ steps: Steps) throws -> Float? {
        var recipe = Self.sections(steps.overscan)
        let masters: MasterImages
        do {
            let bias = try master("bias.fits", of: raw("b.fits", 0), overscan: steps.biasOverscan)
            let dark = try master(
                "dark.fits", of: raw("d.fits", 60), overscan: steps.darkOverscan, bias: steps.darkBias ? bias : nil)
            recipe.bias = steps.bias ? bias : nil
            recipe.dark = steps.dark ? dark : nil
            masters = try MasterImages(recipe)
            _ = try CalibratedFile(recipe, masters).write(
                raw("l.fits", steps.exposure, light: 300), to: folder.path("out.fits"), overwrite: true,
                isCompressed: false)
        } catch is ScanSetupError {
            return nil
        } catch is FrameFailures {
            return nil
        }
        return masters.warnings().isEmpty ? try first() : nil
    }

    @Test("whatever steps frames and masters have had, a level is subtracted once, or the fault is named")
    func allSteps() throws {
        var right = 0
        for number in 0..<128 {
            let steps = Steps(number: number)
            guard steps.bias || steps.dark, let value = try result(steps) else { continue }
            right += 1
            // Without a dark its current stays; without a bias, what the overscan does not tell of it may stay.
            let kept = value - 300 - (steps.dark ? 0 : Float(steps.exposure) / 2)
            #expect(kept.magnitude <= (steps.bias ? 0.01 : 20), "\(steps): \(kept)")
        }
        // Those that fit: bias alone, or with a dark without it, and a dark with what the frame has.
        #expect(right >= 26, "\(right)")
    }
}
