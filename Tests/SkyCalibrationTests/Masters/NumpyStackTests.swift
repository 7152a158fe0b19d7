import Foundation
import SkyCalibration
import SkyFITS
import SkyTestSupport
import Testing

@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct NumpyStackTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("numpy_stack.py").path

    struct Case: Sendable, CustomStringConvertible {
        var kind = "float"
        var count = 7
        var method = StackMethod.median
        var scale = "none"
        var uses: [String] = []

        var description: String { "\(count) \(kind), \(method.name), scale \(scale), \(uses)" }
    }

    private static let clip = StackMethod.clip(sigma: 3, iterations: nil)

    static let cases: [Case] =
        [1, 2, 3, 20, 100, 300].flatMap { count in
            [StackMethod.median, .mean, clip].map { Case(count: count, method: $0, scale: "median", uses: ["bias"]) }
        }
        + ["int16", "mosaic", "rice", "gzip"].flatMap { kind in
            [StackMethod.median, clip].map { Case(kind: kind, method: $0) }
        }
        + [Case(kind: "mosaic", count: 20, method: clip, scale: "median")]
        + ["int16", "gzip"].flatMap { kind in
            [[], ["bias"], ["mask"]].map { Case(kind: kind, count: 20, method: clip, scale: "median", uses: $0) }
        }
        + [StackMethod.median, .mean, clip].flatMap { method in
            [
                Case(kind: "nan", count: 8, method: method, scale: "median", uses: ["bias", "dark", "mask"]),
                Case(kind: "nan", count: 9, method: method, scale: "EXPTIME", uses: ["dark", "mask"]),
            ]
        }

    @Test("a master has the bits of numpy in double precision", arguments: cases)
    func equal(_ test: Case) throws {
        let folder = try TemporaryFolder()
        _ = try AstropyPython.run([Self.script, "make", folder.path, test.kind, "\(test.count)", "17"])
        let frames = folder.names.filter { $0.hasPrefix("frame") }.map(folder.path)
        var request = StackRequest(
            frames: frames.map { ImageLocation(path: $0, selector: .firstImage) }, method: test.method)
        request.scale = FrameScale(test.scale)
        (request.writesCount, request.writesScatter, request.bandSize) = (true, true, 40_000)
        if test.uses.contains("bias") { request.bias = try ImageLocation(folder.path("bias.fits")) }
        if test.uses.contains("dark") { request.dark = try ImageLocation(folder.path("dark.fits")) }
        if test.uses.contains("mask") {
            request.masks = try frames.map { _ in [try ImageLocation(folder.path("mask.fits"))] }
        }
        try MasterStack(request).write(to: folder.path("master.fits"), overwrite: false) { _ in }
        let lines = try AstropyPython.run(
            [Self.script, "compare", folder.path, test.method.name, test.scale] + test.uses)
        #expect(
            lines.split(separator: "\n")
                == Array(
                    repeating: "0 0 True COUNT SCATTER -32 \(test.count)", count: test.kind == "mosaic" ? 2 : 1))
    }
}
