import Foundation
import Testing

import Console
@testable import ImageJobs

@Suite("what is printed") struct StreamsTests {
    private static let evil = "a\u{1b}]0;x\u{7}b\u{9b}31m\nc\u{202e}d"

    @Test("Security.md: names of files and peers cannot control a terminal, in any form of output")
    func forms() throws {
        var table = TextTable("NAME", "SLOTS")
        table.add(Self.evil, "1")
        var job = SubmittedJob(id: "1", words: [Self.evil], folder: Self.evil, environment: [:], submitted: 0)
        job.from = Self.evil
        let row = JobRow(SubmittedEntry(job: job, message: Self.evil))
        let texts = [
            table.text, row.text, JobRow.text([row]), try JSONOutput.document(row),
            try JSONOutput.line(row), ("node \(name: Self.evil): \(Self.evil)" as StyledText).plain,
            Log().line(.error, StyledText(Self.evil)) ?? "",
        ]
        for text in texts {
            let wrong = text.unicodeScalars.filter {
                $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
            }
            #expect(wrong.isEmpty, "\(text.debugDescription)")
        }
        // A text with a line break stays one line.
        #expect(table.text.split(separator: "\n").count == 2 && !row.text.contains("\nc\u{fffd}"))
        // JSON has the same text.
        let read = try JSONDecoder().decode(JobRow.self, from: Data(JSONOutput.line(row).utf8))
        #expect(read.from == Self.evil)
    }

    @Test("nothing is printed past the functions that check it")
    func sources() throws {
        let folder = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let targets = ["skyfarm", "Console", "ImageScanning", "ImageJobs", "NodeDaemon", "ScanFleet", "ScanBench"]
        let names = try targets.flatMap { target in
            try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/Sources/\(target)").map { "\(target)/\($0)" }
        }
        var found: [String] = []
        for name in names where name.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(folder)/Sources/\(name)", encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = [
                    " print(", " fputs(", " fwrite(", "FileHandle.standardError", "FileHandle.standardOutput",
                    "writeStyled",
                ]
                if words.contains(where: { line.contains($0) && !line.contains("//") }) { found.append(name) }
            }
        }
        #expect(
            Set(found) == [
                "Console/Output/Streams.swift", "Console/Output/Log.swift",
                "Console/Output/Progress/ProgressDisplay.swift",
            ],
            "\(found)")
    }

    @Test("Security.md: the token of a job's live page is not told to other machines")
    func token() {
        let line = "skyfarm: dashboard at http://127.0.0.1:4871/?token=0123456789abcdef0123456789abcdef"
        #expect(line.withoutToken == "skyfarm: dashboard at http://127.0.0.1:4871/?token=...")
    }

    @Test("numbers of peers are shown, however large")
    func numbers() {
        for value in [1e300, .infinity, -1, .nan] {
            #expect(HumanFormat.age(seconds: value) == "?" && HumanFormat.duration(seconds: value) == "?")
        }
        #expect(HumanFormat.byteCount(.max).hasSuffix("TB") && HumanFormat.pixelRate(1e300).hasSuffix("pix/s"))
        // The steps to a state of a job that no job can have.
        var watched = WatchedProgress()
        let absurd = JobProgress(
            event: "", files: .max, filesDone: .max, tasks: .max, tasksDone: .min, pixels: .max, pixelsDone: .min,
            retries: .max, systems: 0, slotsTotal: 0)
        #expect(watched.events(to: absurd, nil).count < 250_000)
        #expect(watched.events(to: absurd, nil).count < 250_000)
    }
}
