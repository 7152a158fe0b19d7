import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkySynthetic

/// Coding of typical messages: a null task, a band's task and a band's result.
struct CodecSuite {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() throws -> Report {
        var report = Report(.codec)
        let (scan, result) = try band()
        report.notes.append(
            "a band of \(scan.plan.width) x \(scan.plan.rows) pixels with \(result.batch.count) sources")
        try add("null task", ProbeTask(id: 1_000_000), rounds: 100_000, to: &report)
        try add("band's task", scan, rounds: 1000, to: &report)
        try add("band's result", result, rounds: 100, to: &report)
        return report
    }

    private func band() throws -> (BandExtraction, WindowResult) {
        let (width, height) = (4096, 512)
        let pixels = SyntheticSky(SyntheticSky.Parameters(width: width, height: height)).render(rows: 0..<height)
        let parameters = ScanParameters()
        let plan = try BandPlan(width: width, height: height, meshHeight: 64, requestedRows: height)
        return try pixels.withUnsafeBufferPointer { pixels in
            let view = try PixelView(rect: plan.image, pixels: pixels)
            var background = BackgroundAccumulator(plan: plan, parameters: parameters)
            try background.add(MeshStatistics(measuring: view, band: plan[0], parameters: parameters))
            let scan = BandExtraction(plan: plan, band: 0, parameters: parameters, background: try background.reduce())
            return (scan, try scan.scan(view))
        }
    }

    private func add<Value: Codable>(_ name: String, _ value: Value, rounds: Int, to report: inout Report) throws {
        let encoder = WireEncoder()
        let bytes = try encoder.encode(value)
        var (encoding, decoding) = (Sample(), Sample())
        for _ in 0..<options.runs {
            encoding.add(try time(rounds) { try encoder.encode(value) { $0.count } })
            decoding.add(try time(rounds) { _ = try WireDecoder().decode(Value.self, from: bytes) })
        }
        report.notes.append("\(name): \(bytes.count) bytes")
        report.add("\(name), encode", "us", encoding)
        report.add("\(name), decode", "us", decoding)
    }

    /// Microseconds per round.
    private func time<Result>(_ rounds: Int, _ body: () throws -> Result) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<rounds { _ = try body() }
        return (ContinuousClock.now - start).seconds * 1e6 / Double(rounds)
    }
}
