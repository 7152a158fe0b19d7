import Foundation
import ScanCluster

/// The cost of a live page: a scan without one, with one without clients, and with twenty clients.
struct DashboardSuite {
    private let options: BenchmarkOptions
    private let image: URL
    private let folder: URL
    private let program: URL

    private static let clientCount = 20

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        (image, folder) = try BenchmarkImage.prepare(size: options.size)
        program = try SkyfarmProgram.find()
    }

    private struct Run {
        var seconds: Double
        var processor: Double
        var bytes = 0
    }

    func run() throws -> Report {
        var runs: [String: [Run]] = [:]
        let kinds = ["no page", "a page, no client", "a page, \(Self.clientCount) clients"]
        for _ in 0..<options.runs {
            runs[kinds[0], default: []].append(try scan(clients: nil))
            runs[kinds[1], default: []].append(try scan(clients: 0))
            runs[kinds[2], default: []].append(try scan(clients: Self.clientCount))
        }
        func sample(_ kind: String, _ value: (Run) -> Double) -> Sample {
            var sample = Sample()
            for run in runs[kind] ?? [] { sample.add(value(run)) }
            return sample
        }
        var report = Report(.dashboard)
        report.notes.append("\(options.size) x \(options.size) pixels, \(options.runs) runs, alternating")
        for kind in kinds { report.add(kind, "s", sample(kind, \.seconds)) }
        for kind in kinds { report.add("\(kind), processor", "s", sample(kind, \.processor)) }
        for kind in kinds[1...] {
            report.add("\(kind) / \(kinds[0])", "x", sample(kind, \.seconds) / sample(kinds[0], \.seconds))
            report.add(
                "\(kind) / \(kinds[0]), processor", "x", sample(kind, \.processor) / sample(kinds[0], \.processor))
        }
        report.add("bytes read per client", "B", sample(kinds[2]) { Double($0.bytes) / Double(Self.clientCount) })
        return report
    }

    /// Runs the program; it serves no page if `clients` is nil.
    private func scan(clients: Int?) throws -> Run {
        let (output, errors) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = program
        process.arguments =
            ["scan", image.path, "-o", folder.appending(path: "dashboard.fits").path, "--overwrite", "--no-journal"]
            + ["--no-discovery", "--json", "--quiet"] + (clients == nil ? [] : ["--dashboard"])
        (process.standardOutput, process.standardError) = (output, errors)
        let before = Usage.processorTimeOfChildren
        try process.run()
        var streams: EventStreamClients?
        if let clients {
            // The first line on standard error has the link.
            let line = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            guard let link = line.firstMatch(of: /http:\/\/[^:]+:(\d+)\/\?token=(\w+)/),
                let port = UInt16(link.output.1)
            else {
                throw BenchmarkError("the program printed this instead of a link: \(line)")
            }
            streams = try EventStreamClients(count: clients, port: port, token: String(link.output.2))
        }
        let result = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        struct Result: Decodable { var seconds: Double }
        guard process.terminationStatus == 0 else { throw BenchmarkError("the scan failed") }
        return Run(
            seconds: try JSONDecoder().decode(Result.self, from: result).seconds,
            processor: Usage.processorTimeOfChildren - before, bytes: streams?.finish() ?? 0)
    }
}
