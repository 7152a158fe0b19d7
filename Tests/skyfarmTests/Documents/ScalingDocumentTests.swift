import Foundation
import Testing

import ScanBench

/// The tables of Docs/Scaling.md are what the model says.
@Suite struct ScalingDocumentTests {
    /// A model in the document, and the table of forecasts below it.
    private struct Example {
        var model: ScalingModel
        /// Cells of the head and of the rows.
        var table: [[String]]
    }

    private static func examples() throws -> [Example] {
        let text = try DocumentTests.text("Docs/Scaling.md")
        let blocks = text.matches(of: /```json model\n((?:.*\n)*?)```\n+((?:\|.*\n)+)/)
        return try blocks.map { block in
            let lines = block.2.split(separator: "\n").filter { !$0.hasPrefix("|--") }
            return Example(
                model: try JSONDecoder().decode(ScalingModel.self, from: Data(block.1.utf8)),
                table: lines.map { line in
                    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                })
        }
    }

    @Test("each forecast is the model's")
    func forecasts() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 5)
        for example in examples {
            let head = try #require(example.table.first)
            #expect(example.table.count >= 5 && head.count >= 2)
            for row in example.table.dropFirst() {
                let nodes = try #require(Int(row[0]))
                for (title, cell) in zip(head, row).dropFirst() {
                    let forecast = try Self.model(example.model, over: title).forecast(nodes: nodes)
                    let words = String(format: "%.1f", forecast.speedUp) + " " + forecast.bound.rawValue
                    #expect(cell == words, "\(title), \(nodes) nodes")
                }
            }
        }
    }

    @Test(
        "the times of tasks and of sending are in the proportions that bench measures, within a factor of 2",
        .enabled(if: isRelease, "needs the README's build"))
    func inputs() throws {
        let written = try #require(try Self.examples().first).model
        // Other load may make one measurement useless.
        var factors: [Double] = []
        for _ in 1...3 {
            let result = try Program.run(
                ["bench", "scan", "--link", "10G", "--local-slots", "1", "--no-discovery", "--json"])
            #expect(result.code == 0, "\(result.errors)")
            let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
            // Seconds per byte: those of another machine differ by one factor.
            factors = zip(Self.costs(report.scan.model), Self.costs(written)).map { $0 / $1 }
            // Machines differ: two were measured whose ratios of extraction to sending differ by a factor of 1.55.
            if try #require(factors.max()) <= 2 * (try #require(factors.min())) { return }
        }
        Issue.record("background, extraction, sending: \(factors) of the times in Docs/Scaling.md")
    }

    /// Whether the program is built as the README says: the times of others are in other proportions.
    private static let isRelease = ProcessInfo.processInfo.environment["SKYFARM_TEST_PROGRAMS"] != nil

    private struct Report: Decodable {
        struct Scan: Decodable {
            var model: ScalingModel
        }
        var scan: Scan
    }

    /// Seconds for a byte of the image: of a slot in each step, and of the coordinator that sends it.
    private static func costs(_ model: ScalingModel) -> [Double] {
        let bytes = model.steps[0].taskBytes * Double(model.steps[0].tasks)
        return model.steps.map { $0.taskSeconds / $0.taskBytes } + [model.coordinatorSeconds / bytes]
    }

    /// The model behind a column with this title.
    private static func model(_ model: ScalingModel, over title: String) throws -> ScalingModel {
        if let rate = title.wholeMatch(of: /(\d+) ([GM])bit\/s/) {
            return model.over(LinkRate(bitsPerSecond: try #require(Double(rate.1)) * (rate.2 == "G" ? 1e9 : 1e6)))
        }
        #expect(title == "`--data`")
        return model.sendingNothing
    }
}
