import Foundation
import Testing

/// A scan of mosaic files and large images whose process is killed within a file, and the same command again.
@Suite("a killed scan of mosaic files", .serialized) struct KilledMosaicTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        let parts = try (1...4).map { try scene.sky("part-\($0).fits", size: "500x500", ["--seed", "\($0)"]) }
        let mosaic = try FITSParts.mosaic(of: parts.map { try Data(contentsOf: URL(filePath: $0)) })
        _ = try scene.write(mosaic, "night/mosaic.fits")
        _ = try scene.sky("night/single.fits", size: "600x900", ["--seed", "9"])
    }

    private struct Record: Decodable {
        var event: String
        var tasks: Int
        var tasksDone: Int
        var tasksResumed: Int
    }

    private struct Jobs: Decodable {
        struct Job: Decodable {
            var state: String
            var tasks: [String: Int]
            var filesTotal: Int?
        }
        var jobs: [Job]
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private func words(_ further: [String] = [], to folder: String = "out/") -> [String] {
        ["scan", scene.path("night"), "-o", scene.path(folder), "--progress", "json", "--local-slots", "2"] + further
    }

    private static func finished(_ errors: String) -> Int {
        errors.components(separatedBy: #""event":"finished""#).count - 1
    }

    /// The last event of a scan that ended by itself.
    private func end(of result: Program.Result) throws -> Record {
        let line = try #require(result.errorLines.last { $0.contains(#""event":"ended""#) }, "\(result.errors)")
        return try JSONDecoder().decode(Record.self, from: Data(line.utf8))
    }

    /// Bands of 128 rows, or images in one piece.
    @Test("repeats only tasks that had not finished; the catalogues are the same to the byte", arguments: [128, nil])
    func killed(rows: Int?) throws {
        let band = rows.map { ["--band", "\($0)"] } ?? []
        let whole = try Program.run(words(band + ["--no-journal"], to: "whole/"), environment: environment)
        #expect(whole.code == 0, "\(whole.errors)")
        let total = try end(of: whole).tasks
        // The file of one image in one piece has no task that could be kept.
        let unkept = rows == nil ? 1 : 0
        var counted = 0
        for moment in rows == nil ? [2] : [total / 8, total / 4] {
            let program = try Program(words(band), environment: environment)
            try program.wait("\(moment) finished tasks") { Self.finished($0) >= moment }
            program.send(SIGKILL)
            let result = try program.finish()
            #expect(result.code == -SIGKILL)
            counted += Self.finished(result.errors)
        }
        let result = try Program.run(words(band), environment: environment)
        #expect(result.code == 0, "\(result.errors)")
        let record = try end(of: result)
        // Those of a file that was finished before do not occur any more.
        let repeated = record.tasksDone - record.tasksResumed
        #expect(record.tasks <= total && total - repeated >= counted - unkept, "\(record)")
        for name in ["mosaic.fits", "single.fits"] {
            #expect(try scene.bytes("out/" + name) == scene.bytes("whole/" + name), "\(name)")
        }
        let jobs = try Program.run(["jobs", "--json"], environment: environment)
        let listing = try JSONDecoder().decode(Jobs.self, from: Data(jobs.output.utf8))
        #expect(listing.jobs.first { $0.filesTotal == 2 && $0.state == "finished" }?.tasks.isEmpty == true)
    }
}
