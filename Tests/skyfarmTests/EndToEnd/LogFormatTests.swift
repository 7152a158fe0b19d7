import CommandLineKit
import Foundation
import Testing

@Suite("--log-format") struct LogFormatTests {
    private struct Line: Decodable {
        var v: Int
        var event: String
        var level: String?
        var program: String?
        var job: String?
        var message: String?
    }

    private func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("coordinator and node call the job the same, in JSON and as text")
    func job() throws {
        let scene = try Scene()
        let node = try Node("alpha", environment: ["SKYFARM_LOG_FORMAT": "json"])
        let words = [
            "scan", try scene.sky(), "--node", node.address, "--local-slots", "0", "--no-journal", "--overwrite", "-o",
            scene.path("out/o.csv"), "--log-format",
        ]
        let json = try Program.run(words + ["json", "--progress", "json", "-v"])
        #expect(json.code == 0)
        let records = try lines(json.errors)
        let job = try #require(records.first?.job)
        #expect(job.count == 8 && records.allSatisfy { $0.job == job && $0.v == 1 })
        #expect(Set(records.map(\.event)).isSuperset(of: ["log", "finished", "ended"]))
        #expect(Set(records.compactMap(\.level)) == ["info", "debug"])
        let text = try Program.run(words + ["text"])
        #expect(text.code == 0)
        let pattern = try Regex("^[0-9T:.-]+Z (info|warning) job=\(job) ")
        #expect(text.errorLines.allSatisfy { $0.contains(pattern) }, "\(text.errors)")
        node.program.send(SIGTERM)
        let told = try lines(node.program.finish().errors).filter { $0.job != nil }
        #expect(told.count >= 3 && told.allSatisfy { $0.job == job && $0.program == "skyfarm node" })
    }

    @Test("an error is a line of the log, too")
    func error() throws {
        let result = try Program.run(["scan", "/nowhere/a.fits", "--log-format", "json"])
        #expect(result.code == 5)
        let records = try lines(result.errors)
        #expect(records.map(\.level) == ["error"] && records[0].message?.contains("/nowhere/a.fits") == true)
    }

    @Test("where the journal reads standard error each line begins with its priority")
    func journal() throws {
        let scene = try Scene()
        let file = try scene.write([], "journal")
        var status = stat()
        stat(file, &status)
        let command = [Program.path, "scan", "/nowhere/a.fits"].map(quotedForShell).joined(separator: " ")
        let shell = ["-c", "\(command) 2> \(quotedForShell(file))"]
        let result = try Program.run(
            path: "/bin/sh", shell, environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"])
        #expect(result.code == 5)
        #expect(String(decoding: try scene.bytes("journal"), as: UTF8.self).hasPrefix("<3>"))
    }
}
