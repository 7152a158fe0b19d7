import Foundation
import ScanBasics
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

@Suite struct MasterStackTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func frame(
        _ name: String, width: Int = 40, height: Int = 30, header: [HeaderEntry] = [], _ value: (Int) -> Float
    ) throws -> ImageLocation {
        let writer = try FITSImageWriter(
            path: folder.path(name), width: width, height: height, type: .float32, header: header)
        for row in 0..<height { try writer.write(row: (0..<width).map { value(row * width + $0) }) }
        try writer.finish()
        return ImageLocation(path: folder.path(name), selector: .firstImage)
    }

    private func frames(_ count: Int) throws -> [ImageLocation] {
        try (0..<count).map { index in
            let name = "frame\(index + 10).fits"
            return try frame(name, header: [HeaderEntry("EXPTIME", .real(Double(index + 1)))]) {
                Float(($0 * 7919 + index * 104_729) % 1013 + 100)
            }
        }
    }

    /// The error of a request, after which nothing may be written.
    private func failure(_ request: StackRequest) -> String {
        var text = ""
        do {
            try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        } catch {
            text = "\(error)"
        }
        #expect(!folder.names.contains("master.fits") && !folder.names.contains { $0.hasPrefix(".skyfarm") })
        return text.replacing(folder.path + "/", with: "")
    }

    @Test("the bytes do not depend on slots and bands")
    func bytes() throws {
        var request = StackRequest(frames: try frames(9), method: .clip(sigma: 2, iterations: nil))
        (request.scale, request.writesCount, request.writesScatter) = (.median, true, true)
        var results: [Data] = []
        for (slots, size) in [(1, 1 << 20), (4, 1 << 20), (3, 9 * 4 * 40 * 7), (2, 1)] {
            (request.slots, request.bandSize) = (Slots(slots), size)
            try MasterStack(request).write(to: folder.path("master.fits"), overwrite: true) { _ in }
            results.append(try Data(contentsOf: URL(fileURLWithPath: folder.path("master.fits"))))
        }
        #expect(Set(results).count == 1)
    }

    @Test("the header has what all frames have in common, and tells of what the master was made")
    func provenance() throws {
        let common = HeaderEntry("FILTER", .text("R"))
        let frames = try (0..<3).map { index in
            let own = HeaderEntry("AIRMASS", .real(1 + Double(index)))
            return try frame("frame\(index).fits", header: [common, own]) { Float($0 + index) }
        }
        var request = StackRequest(frames: frames, method: .clip(sigma: 2.5, iterations: 4))
        request.scale = .mean
        request.bias = try frame("bias.fits") { _ in -1 }
        try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        let header = try FITSImage(folder.path("master.fits")).header
        #expect(header.text("FILTER") == "R" && header.number("AIRMASS") == nil)
        #expect(header.text("COMBMETH") == "clip" && header.number("COMBSIGM") == 2.5)
        #expect(header.number("COMBITER") == 4 && header.text("COMBSCAL") == "mean")
        #expect(header.text("COMBBIAS") == "bias.fits" && header.text("IMCMB002") == "frame1.fits")
        let image = try FITSImage(frames[1])
        #expect(header.text("IMSUM002").flatMap { UInt64($0, radix: 16) } == (try image.stored.checksum()))
        #expect(header.number("IMSCL001") == 1 + 1199.0 / 2)
    }

    @Test("selected images in different places of their files take no part of a master with several images")
    func places() throws {
        func mosaic(_ name: String) throws -> String {
            let path = folder.path(name)
            let writer = try FITSFileWriter(path: path, in: AtomicFile(path: path, overwrite: false))
            try writer.addEmptyImage()
            for number in 1...2 {
                try writer.addImage(width: 40, height: 30, .float32)
                try writer.set(HeaderEntry("EXTNAME", .text("CCD\(number)")))
                try writer.write([Float](repeating: Float(number), count: 1200))
            }
            try writer.finish()
            return path
        }
        let (first, second) = (try mosaic("a.fits"), try mosaic("b.fits"))
        func request(_ names: String...) throws -> StackRequest {
            StackRequest(frames: try names.map { try ImageLocation($0) }, method: .mean)
        }
        var mixed = try request("\(first)[CCD2]", "\(second)[CCD1]")
        mixed.bias = try ImageLocation(try mosaic("bias.fits"))
        #expect(
            failure(mixed)
                == "b.fits[1]: is image 1 of its file, not 2 as a.fits[2]; bias.fits has 2 images, of which one belongs to "
                + "each place")
        var masked = try request("\(first)[CCD2]", "\(second)[CCD1]")
        masked.masks = [[try ImageLocation(first)], [try ImageLocation(second)]]
        #expect(failure(masked).contains("b.fits[1]: is image 1 of its file, not 2"))
        // The same place, or a master of one image, is right.
        var equal = try request("\(first)[CCD2]", "\(second)[CCD2]")
        equal.bias = mixed.bias
        try MasterStack(equal).write(to: folder.path("equal.fits"), overwrite: false) { _ in }
        mixed.bias = try frame("one.fits") { _ in 1 }
        try MasterStack(mixed).write(to: folder.path("one-out.fits"), overwrite: false) { _ in }
    }

    @Test("one of a hundred frames that cannot be read, or is of another kind, is named")
    func oneOfHundred() throws {
        var frames = try (0..<100).map { index in
            try frame("frame\(index + 100).fits", width: 8, height: 6) { Float($0 + index) }
        }
        let good = frames[41]
        try FileManager.default.removeItem(atPath: good.path)
        try Data("SIMPLE  =".utf8).write(to: URL(fileURLWithPath: good.path))
        #expect(failure(StackRequest(frames: frames, method: .median)).hasPrefix("frame141.fits: "))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: frames[0].path))
        try bytes.prefix(2880).write(to: URL(fileURLWithPath: good.path))
        let cut = failure(StackRequest(frames: frames, method: .median))
        #expect(cut.contains("frame141.fits") && !cut.contains("frame140"))
        try FileManager.default.removeItem(atPath: good.path)
        frames[41] = try frame("frame141.fits", width: 9, height: 6) { _ in 1 }
        #expect(
            failure(StackRequest(frames: frames, method: .median)).hasPrefix(
                "frame141.fits[0]: has 9 x 6 pixels, not 8 x 6 as frame100.fits[0]"))
        let binned = [HeaderEntry("XBINNING", .integer(2))]
        let own = try (0..<2).map { try frame("b\($0).fits", header: $0 == 0 ? [] : binned) { _ in 1 } }
        // A binning that only one of them tells is no difference.
        try MasterStack(StackRequest(frames: own, method: .mean)).write(
            to: folder.path("unknown.fits"), overwrite: false
        ) { _ in }
        let other = try frame("b2.fits", header: [HeaderEntry("XBINNING", .integer(1))]) { _ in 1 }
        let text = failure(StackRequest(frames: [other, own[1]], method: .mean))
        #expect(text.hasPrefix("b1.fits[0]: has the binning XBINNING = 2.0, not 1.0"))
        var scaled = StackRequest(frames: [own[0], other], method: .mean)
        scaled.scale = .keyword("EXPTIME")
        #expect(failure(scaled).contains("b0.fits[0]: has no number in the card EXPTIME"))
    }

    @Test("extensions that accompany an image are no images of a master")
    func companions() throws {
        var request = StackRequest(frames: try frames(3), method: .mean)
        (request.writesCount, request.writesScatter) = (true, true)
        try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        #expect(try FITSSurvey(of: folder.path("master.fits")).images.map(\.number) == [0])
        #expect(try FITSImage(folder.path("master.fits[COUNT]")).header.text("SKYFROLE") == "COUNT")
    }

    @Test("a frame of another size or binning is named, and nothing is written")
    func unlike() throws {
        var frames = try frames(3)
        frames.append(try frame("wide.fits", width: 41) { _ in 1 })
        frames.append(try frame("short.fits", height: 29) { _ in 1 })
        let text = failure(StackRequest(frames: frames, method: .mean))
        #expect(text.contains("wide.fits[0]: has 41 x 30 pixels, not 40 x 30 as frame10.fits"))
        #expect(text.contains("short.fits"))
        let binned = try ["1 1", "1x1", "2 2"].map { binning in
            try frame("b\(binning).fits", header: [HeaderEntry("CCDSUM", .text(binning))]) { _ in 1 }
        }
        #expect(
            failure(StackRequest(frames: binned, method: .mean)).hasPrefix(
                "b2 2.fits[0]: has the binning CCDSUM = 2.0 2.0, not 1.0 1.0 as b1 1.fits"))
    }

    @Test("one unreadable frame of many is named, and nothing is written")
    func unreadable() throws {
        var frames = try frames(12)
        let strange = try folder.write([UInt8](repeating: 7, count: 9000), "x.fits")
        frames[7] = ImageLocation(path: strange, selector: .firstImage)
        let text = failure(StackRequest(frames: frames, method: .median))
        #expect(text.hasPrefix("x.fits: ") && !text.contains("frame1"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: frames[3].path))
        try whole.prefix(5760 + 100).write(to: URL(fileURLWithPath: frames[3].path))
        frames[7] = frames[6]
        #expect(failure(StackRequest(frames: frames, method: .median)).contains("frame13.fits: truncated"))
    }

    @Test("frames that cannot be divided by their level are named", arguments: ["median", "mean", "EXPTIME", "GAIN"])
    func levels(scale: String) throws {
        var frames = try frames(3)
        let header = [HeaderEntry("EXPTIME", .real(0))]
        frames.append(try frame("zero.fits", header: header) { Float($0 % 2 * 2) - 1 })
        frames.append(try frame("empty.fits", header: header) { _ in .nan })
        var request = StackRequest(frames: frames, method: .mean)
        request.scale = FrameScale(scale)
        let text = failure(request)
        #expect(text.contains("zero.fits[0]: ") && text.contains("empty.fits[0]: "))
        #expect(text.contains("frame10.fits[0]: has no number in the card GAIN") == (scale == "GAIN"))
    }

    @Test("a master of another size, or a dark without exposure time, is named")
    func masters() throws {
        var request = StackRequest(frames: try frames(3), method: .mean)
        request.bias = try frame("bias.fits", width: 39) { _ in 1 }
        #expect(failure(request).hasPrefix("bias.fits[0]: the bias has 39 x 30 pixels, not 40 x 30"))
        request.bias = nil
        request.dark = try frame("dark.fits") { _ in 1 }
        #expect(failure(request).hasPrefix("dark.fits[0]: the dark has no exposure time above 0 in EXPTIME"))
        request.darkScale = .none
        try MasterStack(request).write(to: folder.path("unscaled.fits"), overwrite: false) { _ in }
        #expect(try FITSImage(folder.path("unscaled.fits")).header.text("COMBDSCL") == "none")
    }

    @Test("frames that are divided by their exposure times have that of a second")
    func rate() throws {
        let header = [HeaderEntry("EXPTIME", .real(600))]
        var request = StackRequest(
            frames: [try frame("rate.fits", header: header) { _ in 1200 }], method: .mean)
        request.scale = .keyword("EXPTIME")
        try MasterStack(request).write(to: folder.path("rates.fits"), overwrite: false) { _ in }
        #expect(try FITSImage(folder.path("rates.fits")).header.number("EXPTIME") == 1)
    }

    @Test("a file that exists is left alone")
    func existing() throws {
        let path = try folder.write([1, 2, 3], "master.fits")
        let request = StackRequest(frames: try frames(2), method: .mean)
        #expect(throws: OutputError.self) {
            try MasterStack(request).write(to: path, overwrite: false) { _ in }
        }
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
    }
}
