import Foundation
import SkyFITS
import SkyTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CombineTests {
    private func folder(_ levels: [Float]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (index, level) in levels.enumerated() {
            let writer = try FITSImageWriter(
                path: folder.path("f\(index).fits"), width: 20, height: 10, type: .uint16)
            for row in 0..<10 { try writer.write(row: (0..<20).map { level * Float(1 + ($0 + row) % 2) }) }
            try writer.finish()
        }
        return folder
    }

    private func pixels(_ path: String) throws -> [Float] {
        let image = try FITSImage(path)
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        return pixels
    }

    @Test("a flat is the median of frames that are divided by their medians")
    func flat() throws {
        let folder = try folder([100, 200, 400])
        let master = folder.path("flat.fits")
        let words = ["combine", folder.path("f[0-9].fits"), "-o", master, "--scale", "median"]
        let result = try Program.run(words)
        #expect(result.code == 0 && result.errors == "\(master): median of 3 frames\n")
        #expect(try Set(pixels(master)) == Set([Float(1 / 1.5), Float(2 / 1.5)]))
        let again = try Program.run(words)
        #expect(again.code == 6 && again.errors.contains("exists already"))
        let report = try Program.run(words + ["--overwrite", "--json", "--method", "clip"])
        #expect(report.code == 0 && report.output.contains("\"method\" : \"clip\""))
    }

    @Test("a frame that cannot be used ends the command with its name, and nothing is written")
    func unusable() throws {
        let folder = try folder([100, 0])
        let result = try Program.run(
            ["combine", folder.path, "-o", folder.path("flat.fits"), "--scale", "median"])
        #expect(result.code == 5 && result.errors.contains("f1.fits[0]: its median is 0.0"))
        #expect(result.errors.hasSuffix("nothing was written\n") && folder.names == ["f0.fits", "f1.fits"])
        #expect(try Program.run(["combine", folder.path]).code == 2)
        #expect(try Program.run(["combine", folder.path("g.fits"), "-o", folder.path("m.fits")]).code == 5)
    }
}
