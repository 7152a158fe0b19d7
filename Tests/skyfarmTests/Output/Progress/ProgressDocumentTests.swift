import Foundation
import Testing

@testable import Console

@Suite("Docs/Progress.md") struct ProgressDocumentTests {
    private let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        text = try String(contentsOfFile: root + "/Docs/Progress.md", encoding: .utf8)
    }

    private func keys(_ json: Substring) throws -> Set<String> {
        Set(try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]).keys)
    }

    @Test("its example has the keys that the code writes, and the code writes none that it does not describe")
    func example() throws {
        let example = try #require(text.split(separator: "\n").first { $0.hasPrefix("{") })
        let event = ProgressEvent.finished(work: 1, system: "alpha")
        let record = ProgressRecord(event, job: "1f0c8e2d", at: 2, state: ProgressStateTests.begun)
        let written = try JSONOutput.line(record).dropLast()
        #expect(try keys(example) == keys(written))
        for label in Mirror(reflecting: record).children.compactMap(\.label) {
            #expect(text.contains("`\(label)`"), "\(label)")
        }
    }

    @Test(
        "names every event",
        arguments: [
            ProgressEvent.began(pixels: 1, work: 1), .files(2), .fileBegan(images: 1), .imageEnded,
            .fileEnded(file: "a.fits", outputs: ["a.csv"]), .stage("x"), .planned(tasks: 1, work: 1),
            .finished(work: 1, system: "a"), .failed(work: 1, reason: "r"), .joined(system: "a", slots: 1),
            .left(system: "a"), .resumed(tasks: 1, work: 1), .retried(reason: "r"),
            .hedged(task: 1, slow: "a", system: "b"), nil,
        ])
    func events(event: ProgressEvent?) {
        let name = ProgressRecord(event, at: 0, state: ProgressState()).event
        #expect(text.contains("\n| `\(name)` |"))
    }

    @Test("the end of a file names its catalogues, and errors only if there are any")
    func fileEnded() throws {
        func line(_ event: ProgressEvent) throws -> String {
            try JSONOutput.line(ProgressRecord(event, at: 0, state: ProgressState()))
        }
        let whole = try line(.fileEnded(file: "a.fits", outputs: ["a.csv"]))
        #expect(whole.contains(#""file":"a.fits""#) && whole.contains(#""outputs":["a.csv"]"#))
        #expect(!whole.contains("errors"))
        let failed = try line(.fileEnded(file: "b.fits", outputs: [], errors: ["damaged"]))
        #expect(failed.contains(#""errors":["damaged"]"#) && failed.contains(#""outputs":[]"#))
    }
}
