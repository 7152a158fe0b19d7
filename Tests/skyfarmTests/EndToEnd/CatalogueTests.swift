import Foundation
import SkyTestSupport
import Testing

/// Catalogues that node processes make of real images.
@Suite(
    "catalogues by node processes", .serialized,
    .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)))
struct CatalogueTests {
    static let images = RealImages.all.filter(\.isOnly)

    let scene: Scene

    init() throws { scene = try Scene() }

    private func scan(_ image: RealImage, nodes: [Node], _ further: [String]) throws -> Program.Result {
        // The references know no gain.
        let result = try Program.run(
            ["scan", image.path, "--gain", "none"] + further + nodes.flatMap { ["--node", $0.address] })
        #expect(result.code == 0, "\(result.errors)")
        return result
    }

    @Test(
        "two nodes do every task once, both take part, and the sources are the reference's",
        arguments: CatalogueTests.images)
    func reference(image: RealImage) throws {
        let nodes = [try Node("first"), try Node("second")]
        let result = try scan(
            image, nodes: nodes, ["--local-slots", "0", "--band", "64", "-o", scene.path("out/o.csv"), "--json"])
        let report = try Report(result.output)
        #expect(report.tasks.retries == 0 && report.tasks.missing == 0)
        #expect(report.tasks.done == report.steps.map(\.tasks).reduce(0, +))
        #expect(
            report.steps.filter { ["background", "extraction"].contains($0.name) }.map(\.tasks) == [
                report.bands, report.bands,
            ])
        #expect(report.systems.map(\.name) == ["first", "second"])
        #expect(report.systems.allSatisfy { $0.tasks > 0 })
        #expect(report.systems.map(\.tasks).reduce(0, +) == report.tasks.done)

        let own = try ReferenceCatalog(contentsOf: scene.path("out/o.csv"))
        let reference = try RealImages.reference(image, mode: "scalar")
        #expect(own.count == reference.count && report.sources == own.count)
        #expect(own.differences(to: reference) == [])
    }

    @Test(
        "astropy reads .fits and .ecsv with units, and has the same coordinates",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)), arguments: CatalogueTests.images
    )
    func astropy(image: RealImage) throws {
        let nodes = [try Node("first"), try Node("second")]
        let names = ["out/o.fits", "out/o.ecsv"]
        let result = try scan(
            image, nodes: nodes, ["--local-slots", "0", "--json"] + names.flatMap { ["-o", scene.path($0)] })
        let report = try Report(result.output)
        for name in names {
            let lines = try AstropyPython.catalogue(scene.path(name), image: image.path, hdu: image.hdu)
            #expect(lines.first == "rows \(report.sources)")
            for column in ["x pix", "theta rad", "cxx pix-2", "npix pix", "number -"] {
                #expect(lines.contains("column \(column) described"), "\(name): \(column)")
            }
            #expect(!lines.contains { $0.hasSuffix("bare") })
            #expect(lines.contains("column ra deg described") == image.hasCoordinates)
            guard image.hasCoordinates else { continue }
            let words = try #require(lines.last).split(separator: " ")
            try #require(words.count == 3 && words[0] == "distance")
            #expect(words.dropFirst().allSatisfy { (Double($0) ?? 1) < 1e-8 }, "\(words)")
        }
    }

    @Test(
        "one system, two nodes and four nodes write the same bytes, in every format", arguments: CatalogueTests.images)
    func sameBytes(image: RealImage) throws {
        let nodes = try (1...4).map { try Node("node-\($0)") }
        let endings = ["fits", "csv", "ecsv", "reg"]
        func outputs(_ name: String) -> [String] { endings.flatMap { ["-o", scene.path("out/\(name).\($0)")] } }
        _ = try scan(image, nodes: [], ["--local-slots", "1", "--band", "64"] + outputs("one"))
        _ = try scan(image, nodes: Array(nodes.prefix(2)), ["--local-slots", "0", "--band", "64"] + outputs("two"))
        _ = try scan(image, nodes: nodes, ["--local-slots", "0", "--band", "64"] + outputs("four"))
        for ending in endings {
            let one = try scene.bytes("out/one.\(ending)")
            #expect(one.count > 100)
            #expect(try scene.bytes("out/two.\(ending)") == one, "two nodes, .\(ending)")
            #expect(try scene.bytes("out/four.\(ending)") == one, "four nodes, .\(ending)")
        }
        try checkRegions(String(decoding: scene.bytes("out/one.reg"), as: UTF8.self))
    }

    /// The grammar of ds9.si.edu/doc/ref/region.html, as far as a catalogue uses it.
    private func checkRegions(_ text: String) throws {
        let number = "-?[0-9]+(\\.[0-9]+)?"
        let grammar = try Regex(
            "#.*|global .*|image|(ellipse\\(\(number)(,\(number)){4}\\)|point\\(\(number),\(number)\\))( # .*)?")
        let lines = text.split(separator: "\n")
        #expect(lines.contains("image") && lines.contains { $0.hasPrefix("ellipse") })
        #expect(lines.allSatisfy { $0.wholeMatch(of: grammar) != nil })
    }
}

extension AstropyPython {
    /// What the script beside this file prints of a catalogue.
    static func catalogue(_ catalogue: String, image: String, hdu: Int) throws -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "astropy_catalogue.py")
        return try run([script.path, catalogue, image, "\(hdu)"]).split(separator: "\n").map(String.init)
    }
}
