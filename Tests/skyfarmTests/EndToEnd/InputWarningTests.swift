import Foundation
import Testing

@Suite("what a scan says about inputs that it can use", .serialized) struct InputWarningTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    /// Scans an image to `out/o.csv`; returns what `--json` says of the input, and standard error.
    private func scan(_ image: String, _ further: [String] = []) throws -> (input: Report.Image, errors: String) {
        let output = ["-o", scene.path("out/o.csv"), "--overwrite", "--json", "--progress", "never"]
        let result = try Program.run(["scan", image] + output + further)
        #expect(result.code == 0, "\(result.errors)")
        return (try #require(try Report(result.output).files.first?.images.first), result.errors)
    }

    @Test("of several images the chosen one is scanned without a warning; each has a page of its own")
    func mosaic() throws {
        let mosaic = try scene.mosaic("mosaic.fits", count: 8)
        for (name, hdu) in [("[2]", 2), ("[CCD8]", 8)] {
            let (chosen, errors) = try scan(mosaic + name)
            #expect(chosen.hdu == hdu && chosen.warnings.isEmpty)
            #expect(!errors.contains("8 images"))
        }
        let page = try Program.run(
            ["scan", mosaic, "-o", scene.path("out/p.csv"), "--report", scene.path("out/p.html"), "--quiet"])
        #expect(page.code == 0, "\(page.errors)")
        #expect(Set(scene.outputs) == Set(["o.csv", "p.csv"] + (1...8).map { "p.\($0).html" }))
    }

    @Test("missing padding and bytes after the last HDU are warnings, and the catalogue is the same")
    func padding() throws {
        let whole = try scene.bytes(URL(fileURLWithPath: scene.sky()).lastPathComponent)
        let padding = (2880 - 600 * 500 * 4 % 2880) % 2880
        try #require(padding > 0 && whole.suffix(padding).allSatisfy { $0 == 0 })
        #expect(try scan(scene.path("sky.fits")).input.warnings.isEmpty)
        let catalogue = try scene.bytes("out/o.csv")
        for (name, bytes, warning) in [
            ("cut.fits", whole.dropLast(padding), "the last block lacks \(padding) bytes of padding"),
            ("junk.fits", whole + Data("junk".utf8), "ignored 4 bytes after HDU 0, which are not FITS"),
        ] {
            let path = try scene.write(bytes, name)
            let (input, errors) = try scan(path)
            #expect(input.warnings == ["\(path): \(warning)"])
            #expect(errors.contains("skyfarm: \(path): \(warning)\n"))
            #expect(try scene.bytes("out/o.csv") == catalogue)
        }
    }

    @Test("a mask that leaves little of an image explains why there are no sources")
    func masked() throws {
        let image = try scene.image("flat.fits", axes: [70, 90], sample: 1)
        #expect(try scan(image).errors.contains("no sources found in "))
        // A mask of ones with a row of zeros.
        var mask = try scene.bytes(
            URL(fileURLWithPath: scene.image("mask.fits", axes: [70, 90], sample: 1)).lastPathComponent)
        mask.replaceSubrange(2880..<2880 + 70 * 4, with: Data(count: 70 * 4))
        let path = try scene.write(mask, "mask.fits")
        let (input, errors) = try scan(image, ["--mask", path])
        #expect(input.sources == 0)
        #expect(errors.contains("no sources found (only 70 of 6300 pixels unmasked) in "), "\(errors)")
    }

    @Test("the gain in use is recorded: the header's, a given one, or none")
    func gain() throws {
        let image = try scene.sky()
        for (words, gain) in [([], 1.5), (["--gain", "2"], 2), (["--gain", "none"], nil)] as [([String], Double?)] {
            #expect(try scan(image, words + ["-o", scene.path("out/o.ecsv")]).input.gain == gain)
            let catalogue = String(decoding: try scene.bytes("out/o.ecsv"), as: UTF8.self)
            #expect(catalogue.contains("\"GAIN\": \(gain ?? 0) "), "\(catalogue.prefix(4000))")
            #expect(catalogue.contains("Error of flux_aper: noise of the image and photon noise") == (gain != nil))
        }
    }
}
