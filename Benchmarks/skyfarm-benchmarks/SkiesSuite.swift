import Foundation
import ScanCluster
import SkyExtraction
import SkyFITS
import SkyMeasurement

/// Real images, one row each: the program skyfarm with one slot against source-extractor, both from start to end, and
/// against SEP in Python, without the interpreter's start and imports.
struct SkiesSuite {
    private let options: BenchmarkOptions
    private let folder: URL
    private let program: String

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        program = try SkyfarmProgram.find().path
    }

    func run() throws -> Report {
        var report = Report(.skies)
        var elapsed: [Double] = []
        var processor: [Double] = []
        var python: [Double] = []
        for image in try RealImages.all(upTo: options.size, in: folder) {
            do {
                let ratios = try measure(image, &report)
                elapsed.append(ratios.seconds)
                processor.append(ratios.processor)
                if let ratio = ratios.python { python.append(ratio) }
            } catch let error as BenchmarkError {
                report.notes.append("\(image.name) left out: \(error)")
            }
        }
        if options.peers {
            report.add("all images, lowest to highest row", "x", Sample(elapsed))
            report.add("all images, processor", "x", Sample(processor))
            report.add("all images, python3-sep", "x", Sample(python))
        }
        report.add("an image after 50 hard ones / before", "x", try HardImages.slowdown(runs: options.runs))
        return report
    }

    /// Medians of an image's ratios.
    private struct Ratios {
        var seconds = 0.0
        var processor = 0.0
        /// Nil if SEP cannot scan the image.
        var python: Double?
    }

    /// Adds the rows of an image.
    private func measure(_ image: RealImages.Entry, _ report: inout Report) throws -> Ratios {
        let catalogue = folder.appending(path: "skies.fits")
        let peers = Peers(image.file, folder)
        var own: [MeasuredProgram.Usage] = []
        var peer: [MeasuredProgram.Usage] = []
        var python: [Double] = []
        func runOwn() throws {
            let arguments = [
                "scan", "\(image.file.path)[0]", "-o", catalogue.path, "--overwrite", "--local-slots", "1",
            ]
            own.append(try MeasuredProgram.run(program, arguments + ["--no-discovery"], in: folder).usage)
        }
        func runPeers() throws {
            guard options.peers else { return }
            let arguments = [image.file.path] + Peers.settings(catalogue: catalogue)
            peer.append(try MeasuredProgram.run(Peers.sourceExtractor, arguments, in: folder).usage)
            // Its stack is too small for some images, which other peers scan.
            if let time = try? peers.wholeImageSEP() { python.append(time.seconds) }
        }
        // The first round is a warm-up.
        for round in 0...options.runs {
            let programs = round % 2 == 0 ? [runOwn, runPeers] : [runPeers, runOwn]
            for run in programs { try run() }
        }
        (own, peer) = (Array(own.dropFirst()), Array(peer.dropFirst()))
        let size = String(format: "%.2f", Double(image.pixels) / 1e6)
        report.add("\(image.name), \(size) Mpix", "s", Sample(own.map(\.seconds)))
        guard options.peers else { return Ratios() }
        let seconds = Sample(zip(peer, own).map { $0.seconds / $1.seconds })
        let processor = Sample(zip(peer, own).map { $0.processor / $1.processor })
        report.add("  source-extractor / skyfarm", "x", seconds)
        report.add("  source-extractor / skyfarm, processor", "x", processor)
        var ratios = Ratios(seconds: seconds.median, processor: processor.median)
        if python.count == own.count + 1 {
            let sample = Sample(zip(python.dropFirst(), own).map { $0 / $1.seconds })
            report.add("  python3-sep / skyfarm", "x", sample)
            ratios.python = sample.median
        }
        return ratios
    }
}

/// Whether scans of large sources slow down later ones in the same process.
private enum HardImages {
    /// Processor time of a scan after 50 hard images, divided by that before.
    static func slowdown(runs: Int) throws -> Sample {
        let easy = try scan(size: 512, reach: 0)
        let hard = try scan(size: 1024, reach: 400)
        func time() throws -> Double {
            let start = Usage.ownProcessorTime
            for _ in 0..<20 { try easy() }
            return Usage.ownProcessorTime - start
        }
        _ = try time()
        let before = Sample(try (0..<runs).map { _ in try time() })
        for _ in 0..<50 { try hard() }
        let after = Sample(try (0..<runs).map { _ in try time() })
        return after / before
    }

    /// Scans an image of small sources, and of one with this radius, in memory.
    private static func scan(size: Int, reach: Int) throws -> () throws -> Void {
        var pixels = (0..<size * size).map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: size)
            let noise = Float(index &* 2_654_435_761 >> 7 & 1023) / 1023
            return noise + (row % 32 == 7 && (5...9).contains(column % 32) ? 20 : 0)
        }
        for row in 0..<size where reach > 0 {
            for column in 0..<size {
                let (x, y) = (column - size / 2, row - size / 2)
                if x * x + y * y < reach * reach { pixels[row * size + column] += 100 }
            }
        }
        var parameters = ScanParameters()
        // The background must not follow the large source.
        if reach > 0 { (parameters.meshWidth, parameters.meshHeight) = (size, size) }
        let scan = try SerialScan(width: size, height: size, parameters: parameters)
        return {
            try pixels.withUnsafeBufferPointer { samples in
                let rect = PixelRect(x: 0..<size, y: 0..<size)
                _ = try scan.run(PixelView(rect: rect, pixels: samples))
            }
        }
    }
}
