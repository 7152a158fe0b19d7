import Foundation
import ScanCluster

/// One command for many images, on two local slots: the program `skyfarm scan`, and source-extractor in one process per
/// image.
struct NightSuite {
    private let options: BenchmarkOptions
    private let folder: URL
    private let program: String

    private static let slots = 2
    private static let skyfarm = "skyfarm scan"

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks-night-\(getpid())")
        program = try SkyfarmProgram.find().path
    }

    /// What is measured on one set of images.
    private struct Measured {
        var rates: [String: Sample] = [:]
        var sources: [String: Int] = [:]
        /// Share of the slots' time between the first and the last task.
        var busy = Sample()
        var memory = Sample()
    }

    func run() throws -> Report {
        try folder.makeEmptyFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var report = Report(.night)
        report.notes.append("two local slots, \(options.runs) runs, alternating; files in the page cache")
        for row in options.rows {
            let images = row.images(size: options.size)
            if row == .small { try measureAlone(images, &report) } else { try measure(images, &report) }
        }
        return report
    }

    private func measure(_ images: NightImages, _ report: inout Report) throws {
        let files = try images.write(to: folder)
        let peers = NightPeers(images: images, files: files, folder: folder)
        let names = [NightPeers.parallel, Self.skyfarm, NightPeers.hyperQueue]
        var missing = options.peers ? [] : names.filter { $0 != Self.skyfarm }
        var row = Measured()
        for round in 0..<options.runs {
            for name in round % 2 == 0 ? names : names.reversed() where !missing.contains(name) {
                try Self.readIntoCache(files)
                do {
                    let result = name == Self.skyfarm ? try scan(images, into: &row) : try peers.run(name)
                    row.rates[name, default: Sample()].add(Double(images.count) / result.seconds)
                    row.sources[name] = result.sources
                } catch let error as PeerProgram.NotInstalled {
                    report.notes.append("\(images.name): \(name): \(error)")
                    missing.append(name)
                }
            }
        }
        add(row, of: images, names, to: &report)
    }

    private func add(_ row: Measured, of images: NightImages, _ names: [String], to report: inout Report) {
        let measured = names.filter { row.rates[$0] != nil }
        func rate(_ name: String) -> Sample { row.rates[name] ?? Sample() }
        let counts = measured.map { "\($0) \(row.sources[$0] ?? 0)" }.joined(separator: ", ")
        report.notes.append(
            "\(images.name): sources: \(counts)"
                + (images.isCompressed && measured.count > 1 ? "; the others with funpack before each image" : ""))
        for name in measured { report.add("\(images.name): \(name)", "images/h", rate(name).map { $0 * 3600 }) }
        let peers = measured.filter { $0 != Self.skyfarm }
        if let best = peers.max(by: { rate($0).median < rate($1).median }) {
            report.add("\(images.name): \(Self.skyfarm) / \(best)", "x", rate(Self.skyfarm) / rate(best))
        }
        report.add("\(images.name): slots busy", "%", row.busy.map { $0 * 100 })
        report.add("\(images.name): peak memory", "MB", row.memory.map { $0 / 1e6 })
    }

    /// Measures `skyfarm scan` without peers, in images per second.
    private func measureAlone(_ images: NightImages, _ report: inout Report) throws {
        let files = try images.write(to: folder)
        var (rates, row) = (Sample(), Measured())
        for _ in 0..<options.runs {
            try Self.readIntoCache(files)
            rates.add(Double(images.count) / (try scan(images, into: &row, withEvents: false).seconds))
        }
        report.add("\(images.name): \(Self.skyfarm)", "images/s", rates)
        report.add("\(images.name): peak memory", "MB", row.memory.map { $0 / 1e6 })
    }

    /// Reads the files, so that they are in the page cache.
    private static func readIntoCache(_ files: [URL]) throws {
        for file in files {
            let handle = try FileHandle(forReadingFrom: file)
            while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {}
        }
    }

    /// Runs the program on the folder of images. Without events, the busy share of the slots is not computed.
    /// - Returns: the time of the process, and the number of sources.
    /// - Throws: ``BenchmarkError`` if it does not write a catalogue of every image.
    private func scan(_ images: NightImages, into row: inout Measured, withEvents: Bool = true) throws
        -> (seconds: Double, sources: Int)
    {
        struct Result: Decodable {
            struct Share: Decodable { var seconds: Double }
            var images: Int
            var sources: Int
            var systems: [Share]
        }
        let catalogues = try NightImages.newCatalogueFolder(in: folder)
        let run = try MeasuredProgram.run(
            program,
            ["scan", folder.appending(path: "images").path, "-o", catalogues.path + "/", "--json"]
                + ["--local-slots", "\(Self.slots)", "--no-discovery"] + (withEvents ? ["--progress", "json"] : []),
            in: folder, environment: ["XDG_STATE_HOME": folder.appending(path: "state").path])
        let result = try JSONDecoder().decode(Result.self, from: Data(contentsOf: run.output))
        let files = try FileManager.default.contentsOfDirectory(atPath: catalogues.path)
        guard result.images == images.count, files.count == (images.isMosaic ? 1 : images.count) else {
            throw BenchmarkError("\(result.images) of \(images.count) images were scanned, into \(files.count) files")
        }
        row.memory.add(run.usage.peakMemory)
        if withEvents {
            let busy = result.systems.reduce(0) { $0 + $1.seconds }
            row.busy.add(busy / (Double(Self.slots) * (try Self.secondsOfTasks(run.errors))))
        }
        return (run.usage.seconds, result.sources)
    }

    /// The time between the first task and the last one in a file of progress events.
    private static func secondsOfTasks(_ events: URL) throws -> Double {
        struct Event: Decodable { var time: Double }
        let lines = String(decoding: try Data(contentsOf: events), as: UTF8.self).split(separator: "\n")
        guard let first = lines.first(where: { $0.contains(#""event":"planned""#) }),
            let last = lines.last(where: { $0.contains(#""event":"finished""#) })
        else { throw BenchmarkError("the scan reported no task") }
        let times = try [first, last].map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)).time }
        return times[1] - times[0]
    }
}
