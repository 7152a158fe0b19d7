import Foundation
import SkyFITS
import SkyTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CalibrateTests {
    private func write(_ path: String, width: Int = 20, header: [HeaderEntry] = [], _ level: Float) throws {
        let writer = try FITSImageWriter(path: path, width: width, height: 10, type: .uint16, header: header)
        for row in 0..<10 { try writer.write(row: (0..<width).map { level + Float($0 * row % 7) }) }
        try writer.finish()
    }

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (index, time) in [10.0, 20, 30].enumerated() {
            try write(
                folder.path("light\(index).fits"), header: [HeaderEntry("EXPTIME", .real(time))],
                Float(1000 + index))
        }
        try write(folder.path("bias.fit"), 100)
        return folder
    }

    private func first(_ path: String) throws -> Float {
        let image = try FITSImage(path)
        var pixels = [Float](repeating: 0, count: image.width)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<1, into: $0) }
        return pixels[0]
    }

    @Test("frames are calibrated into a folder, and the bytes do not depend on slots")
    func folderOfFrames() throws {
        let folder = try folder()
        let words = ["calibrate", folder.path("light*.fits"), "--bias", folder.path("bias.fit"), "--cosmic-rays"]
        let result = try Program.run(words + ["-o", folder.path("red/"), "--local-slots", "3"])
        #expect(result.code == 0 && result.errors.hasSuffix("\(folder.path("red/")): 3 of 3 frames calibrated\n"))
        #expect(try first(folder.path("red/light2.fits")) == 902)
        #expect(try Program.run(words + ["-o", folder.path("one/"), "--local-slots", "1"]).code == 0)
        for index in 0..<3 {
            let contents = ["red", "one"].map {
                FileManager.default.contents(atPath: folder.path("\($0)/light\(index).fits"))
            }
            #expect(contents[0] != nil && contents[0] == contents[1])
        }
        let again = try Program.run(words + ["-o", folder.path("red/")])
        #expect(again.code == 6 && again.errors.contains("exists already"))
        let compressed = try Program.run(words + ["-o", folder.path("fz/"), "--compress", "--json"])
        #expect(compressed.code == 0 && compressed.output.contains("\"done\" : 3"))
        #expect(try FITSImage(folder.path("fz/light0.fits.fz")).isTileCompressed)
        #expect(try first(folder.path("fz/light0.fits.fz")) == 900)
    }

    @Test("a frame that cannot be calibrated is named and fails alone")
    func failure() throws {
        let folder = try folder()
        try write(folder.path("light1.fits.x"), width: 21, 5)
        try FileManager.default.removeItem(atPath: folder.path("light1.fits"))
        try FileManager.default.moveItem(atPath: folder.path("light1.fits.x"), toPath: folder.path("light1.fits"))
        let words = [
            "calibrate", folder.path("light*.fits"), "--bias", folder.path("bias.fit"), "-o", folder.path("red/"),
        ]
        let result = try Program.run(words)
        #expect(result.code == 23 && result.errors.contains("2 of 3 frames calibrated, 1 failed"))
        #expect(result.errors.contains("bias.fit[0]: the bias has 20 x 10 pixels, not 21 x 10"))
        #expect(result.errors.contains("light1.fits"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("red")).sorted() == [
                "light0.fits", "light2.fits",
            ])
    }

    @Test("outputs that would replace a raw frame or each other are refused")
    func outputs() throws {
        let folder = try folder()
        let frames = folder.path("light*.fits")
        let raw = try Program.run(["calibrate", frames, "-o", folder.path + "/", "--overwrite"])
        #expect(raw.code == 2 && raw.errors.contains("is the raw frame itself"))
        for words in [["combine", frames], ["calibrate", folder.path("light1.fits")]] {
            let output = folder.path("light0.fits")
            let flags = words[0] == "combine" ? [] : ["--flat", output]
            let input = try Program.run(words + flags + ["-o", output, "--overwrite"])
            #expect(input.code == 2 && input.errors.contains("is one of the inputs"))
        }
        let same = try Program.run(["calibrate", frames, "-o", folder.path("a.fits")])
        #expect(same.code == 2 && same.errors.contains("would both be written to"))
        #expect(try Program.run(["calibrate", frames]).code == 2)
        let electrons = try Program.run(["calibrate", frames, "-o", folder.path("red/"), "--electrons"])
        #expect(electrons.code == 2 && electrons.errors.contains("--electrons needs --gain"))
        for command in ["combine", "calibrate"] {
            let remote = try Program.run([command, "alpha:/data/a.fits", "-o", folder.path("remote/x.fits")])
            #expect(remote.code == 5)
            let next = "not read by skyfarm \(command); run it on alpha with /data/a.fits, or copy them"
            #expect(remote.errors.contains(next), "\(remote.errors)")
        }
        let lost = try Program.run(["calibrate", frames, "-o", folder.path("red/"), "--flat", folder.path("no.fits")])
        #expect(lost.code == 5 && lost.errors.contains("no.fits"))
    }
}
