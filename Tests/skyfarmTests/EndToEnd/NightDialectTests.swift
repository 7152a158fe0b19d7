import Foundation
import SkyTestSupport
import Testing

/// Random nights with the headers of programs and observatories, against what numpy makes of the same frames.
@Suite(.timeLimit(.minutes(5)), .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct NightDialectTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("night_oracle.py").path

    @Test(
        "a night of two cameras has the values of numpy, and its coordinates stay",
        arguments: ["siril", "nina", "maximdl", "indi", "eso", "noao"], [1, 2, 3])
    func night(dialect: String, seed: Int) throws {
        let folder = try SkyTestSupport.TemporaryFolder()
        _ = try AstropyPython.run([Self.script, "make", folder.path("night"), dialect, "\(seed)"])
        let result = try Program.run(["calibrate", folder.path("night"), "-o", folder.path("red/")])
        #expect(result.code == 0, "\(result.errors)")
        let words = try AstropyPython.run([Self.script, "compare", folder.path("night"), folder.path("red"), dialect])
        #expect(words.wholeMatch(of: /ok: [1-9][0-9]* images\n/) != nil, "\(dialect) \(seed): \(words)")
    }
}
