import Foundation
import Testing

@Suite("files of point spread functions", .timeLimit(.minutes(10))) struct PointSpreadFileTests {
    let scene: Scene
    let image: String

    init() throws {
        scene = try Scene()
        image = try scene.sky("sky.fits", size: "300x200")
    }

    private func scan(_ model: String) throws -> Program.Result {
        try Program.run([
            "scan", image, "--columns", "NUMBER,FLUX_PSF", "--psf", model, "-o", scene.path("o.csv"), "--overwrite",
            "--no-discovery",
        ])
    }

    @Test("a model whose cards agree with its samples is fitted")
    func sound() throws {
        let result = try scan(try scene.pointSpread("good.psf"))
        #expect(result.code == 0, "\(result.errors)")
        let fluxes = try String(contentsOfFile: scene.path("o.csv"), encoding: .utf8).split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: ",").last.flatMap { Double($0) } }
        #expect(fluxes.contains { $0 > 0 })
    }

    @Test(
        "cards that are absent, or that say more or fewer samples than there are, are refused",
        arguments: [[], [5], [3, 3], [9, 9], [0, 5], [-5, -5]])
    func axes(_ axes: [Int]) throws {
        let result = try scan(try scene.pointSpread("bad.psf", axes: axes))
        #expect(result.code == 2 && result.errors.contains("--psf: "), "\(result.errors)")
        #expect(result.errors.contains("bad.psf: the model has "), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: scene.path("o.csv")))
    }

    @Test("several models need as many images in the file")
    func several() throws {
        let result = try scan(try scene.pointSpread("two.psf", models: 2))
        #expect(result.code == 2, "\(result.errors)")
        #expect(result.errors.contains("has 2 models, and the file of \(image) has 1 image"), "\(result.errors)")
    }
}
