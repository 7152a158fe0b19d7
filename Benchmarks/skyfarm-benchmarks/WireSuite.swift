import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkyFITS
import SkyScan
import SkySynthetic

/// What a link carries: pixels to nodes that only receive and convert them, and whole scans, with the pixels as floats
/// and as they are stored in the file. Runs in the lab, on the last of its hosts.
struct WireSuite {
    private let options: BenchmarkOptions

    /// Three nodes, and the coordinator.
    private static let hosts = 4

    init(_ options: BenchmarkOptions) { self.options = options }

    /// How the pixels of an image travel.
    private struct Form {
        let name: String
        let image: URL
        let isPacked: Bool
        /// Whether floats may be compressed.
        var compresses = false
        /// The form to which this one is compared.
        var base: String?
    }

    /// A link, by the word of `--link`.
    enum Link: String, CaseIterable {
        case gigabit = "1G"
        case hundredMegabits = "100M"
        case unlimited
        case loopback

        var name: String {
            switch self {
            case .gigabit: "1 Gbit/s"
            case .hundredMegabits: "100 Mbit/s"
            case .unlimited: "a link without limit"
            case .loopback: "loopback"
            }
        }

        var bitsPerSecond: Int? {
            switch self {
            case .gigabit: 1_000_000_000
            case .hundredMegabits: 100_000_000
            case .unlimited, .loopback: nil
            }
        }
    }

    /// Pixels that were sent to nodes that only receive them.
    private struct Stream {
        var rate = Sample()
        var filled = Sample()
        var processor = Sample()
    }

    func run() async throws -> Report {
        guard LabHost.isInLab else { try LabHost.enter(hosts: Self.hosts, Array(CommandLine.arguments.dropFirst())) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks-wire-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let forms = try forms(in: folder)
        let sent = forms.filter { $0.name != "Rice as floats" }
        var report = Report(.wire)
        report.notes.append("\(options.size) x \(options.size) pixels of 16 bits, \(options.runs) runs, alternating")
        for link in options.links {
            switch link {
            case .gigabit, .unlimited: try await measureStreams(sent, over: link, &report)
            case .hundredMegabits: try await measureScans(sent, over: link, &report)
            case .loopback: try await measureScans(forms, over: link, &report)
            }
        }
        return report
    }

    private func forms(in folder: URL) throws -> [Form] {
        var images = NightImages(count: 1, width: options.size, height: options.size)
        let plain = try images.write(to: folder.appending(path: "plain"))[0]
        images.isCompressed = true
        let compressed = try images.write(to: folder.appending(path: "compressed"))[0]
        let floats = folder.appending(path: "floats.fits")
        let parameters = SyntheticSky.Parameters(width: options.size, height: options.size, seed: 1)
        try SyntheticSky(parameters).write(to: floats.path, type: .float32)
        return [
            Form(name: "16-bit as floats", image: plain, isPacked: false),
            Form(name: "16-bit", image: plain, isPacked: true, base: "16-bit as floats"),
            Form(name: "Rice as floats", image: compressed, isPacked: false),
            Form(name: "Rice", image: compressed, isPacked: true, base: "Rice as floats"),
            Form(name: "floats", image: floats, isPacked: true),
            Form(name: "floats, compressed", image: floats, isPacked: true, compresses: true, base: "floats"),
        ]
    }

    /// Runs `body` for each form in each round, every other round in reverse order. The first round is a warm-up.
    private func alternate(_ forms: [Form], _ body: (Form, _ counts: Bool) async throws -> Void) async throws {
        for round in 0...options.runs {
            for form in round.isMultiple(of: 2) ? forms : forms.reversed() { try await body(form, round > 0) }
        }
    }

    private func nodes(_ role: ChildRole, _ count: Int, over link: Link) throws -> [ChildProcess] {
        try (1...count).map { try ChildProcess(role, on: link == .loopback ? nil : LabHost(number: $0)) }
    }

    // MARK: Streams

    private func measureStreams(_ forms: [Form], over link: Link, _ report: inout Report) async throws {
        let nodes = try nodes(.pixelNode, 2, over: link)
        try LabHost.limitLink(to: link.bitsPerSecond)
        var streams: [String: Stream] = [:]
        try await alternate(forms) { form, counts in
            let stream = try await stream(form, to: nodes, over: link)
            guard counts else { return }
            streams[form.name, default: Stream()].rate.add(stream.rate)
            streams[form.name, default: Stream()].filled.add(stream.filled)
            streams[form.name, default: Stream()].processor.add(stream.processor)
        }
        let start = "pixels over \(link.name)"
        for form in forms {
            let stream = streams[form.name] ?? Stream()
            report.add("\(start), \(form.name)", "Mpix/s", stream.rate)
            if link.bitsPerSecond != nil { report.add("\(start), \(form.name), link used", "%", stream.filled) }
            report.add("\(start), \(form.name), coordinator's processor", "ms/Mpix", stream.processor)
        }
        for form in forms {
            guard let base = base(of: form, among: forms), let (over, under) = pair(streams, form, base) else {
                continue
            }
            report.add("\(start), \(form.name) / \(base.name)", "x", over.rate / under.rate)
            report.add(
                "\(start), \(form.name) / \(base.name), coordinator's processor", "x", over.processor / under.processor)
        }
    }

    /// The form to which one is compared: the same pixels as they were sent before, or others of as many bytes.
    private func base(of form: Form, among forms: [Form]) -> Form? {
        guard let name = form.base else { return nil }
        return forms.first { $0.name == name } ?? forms.first
    }

    private func pair<Value>(_ values: [String: Value], _ form: Form, _ base: Form) -> (Value, Value)? {
        guard let over = values[form.name], let under = values[base.name] else { return nil }
        return (over, under)
    }

    private func cluster(_ nodes: [ChildProcess], _ form: Form) async throws -> BenchmarkCluster {
        try await BenchmarkCluster(
            nodes: nodes, packed: form.isPacked ? WindowUnpacker().form : nil, compresses: form.compresses)
    }

    /// Sends the image's pixels for some seconds.
    private func stream(
        _ form: Form, to nodes: [ChildProcess], over link: Link
    ) async throws -> (rate: Double, filled: Double, processor: Double) {
        let cluster = try await cluster(nodes, form)
        defer { cluster.close() }
        let reader = try ImageReader(image: form.image.path)
        // As long for each form, where the link is the limit.
        let bytesPerPixel = form.isPacked ? reader.sentBytesPerPixel : 4
        let passes = max(1, Int(16 / bytesPerPixel))
        let rows = 256
        let windows = stride(from: 0, to: options.size, by: rows).map {
            PixelRect(x: 0..<options.size, y: $0..<min($0 + rows, options.size))
        }
        let tasks = (0..<passes * windows.count).map {
            ReceivedPixels(id: $0, window: windows[$0 % windows.count])
        }
        let (start, processor) = (ContinuousClock.now, Usage.ownProcessorTime)
        let sentBefore = link.bitsPerSecond == nil ? 0 : try LabHost.sentBytes()
        for try await response in cluster.coordinator.responses(to: tasks, bulk: { reader.source(of: $0.window) }) {
            _ = try response.get()
        }
        let seconds = (ContinuousClock.now - start).seconds
        let used = Usage.ownProcessorTime - processor
        let megapixels = Double(passes * options.size * options.size) / 1e6
        var filled = 0.0
        if let limit = link.bitsPerSecond {
            filled = 100 * 8 * Double(try LabHost.sentBytes() - sentBefore) / (Double(limit) * seconds)
        }
        return (megapixels / seconds, filled, 1e3 * used / megapixels)
    }

    // MARK: Scans

    private func measureScans(_ forms: [Form], over link: Link, _ report: inout Report) async throws {
        let nodes = try nodes(.skyNode, link == .loopback ? 1 : 3, over: link)
        try LabHost.limitLink(to: link.bitsPerSecond)
        var (times, sent, bands): ([String: Sample], [String: Sample], [String: Sample]) = ([:], [:], [:])
        var compressed: [String: Sample] = [:]
        var sources: [String: Int] = [:]
        try await alternate(forms) { form, counts in
            let sentBefore = link.bitsPerSecond == nil ? 0 : try LabHost.sentBytes()
            let scan = try await scan(form, nodes)
            let others = sources.filter { name, _ in name.hasPrefix("floats") == form.name.hasPrefix("floats") }
            guard others.values.allSatisfy({ $0 == scan.sources }) else {
                throw BenchmarkError("\(form.name): \(scan.sources) sources, not as the others: \(sources)")
            }
            sources[form.name] = scan.sources
            guard counts else { return }
            times[form.name, default: Sample()].add(scan.seconds)
            bands[form.name, default: Sample()].add(Double(scan.sent) / Double(scan.bands))
            if form.compresses { compressed[form.name, default: Sample()].add(Double(scan.compressed)) }
            if link.bitsPerSecond != nil {
                sent[form.name, default: Sample()].add(Double(try LabHost.sentBytes() - sentBefore) / 1e6)
            }
        }
        let start = "scan over \(link.name), \(nodes.count == 1 ? "one node" : "\(nodes.count) nodes")"
        for form in forms {
            report.add("\(start), \(form.name)", "s", times[form.name] ?? Sample())
            if let sent = sent[form.name] { report.add("\(start), \(form.name), sent", "MB", sent) }
            report.add("\(start), \(form.name), a band sent", "times", bands[form.name] ?? Sample())
            if let count = compressed[form.name] { report.add("\(start), \(form.name), bands compressed", "", count) }
        }
        for form in forms {
            // Over the loopback interface, how many times as fast as before.
            guard let base = base(of: form, among: forms),
                let (over, under) = link == .loopback ? pair(times, base, form) : pair(times, form, base)
            else { continue }
            let names = link == .loopback ? (base.name, form.name) : (form.name, base.name)
            report.add("\(start), \(names.0) / \(names.1)", "x", over / under)
        }
    }

    /// A scan of the image, with the number of its bands, and how often pixels of one were sent.
    private func scan(
        _ form: Form, _ nodes: [ChildProcess]
    ) async throws -> (seconds: Double, sources: Int, bands: Int, sent: Int, compressed: Int) {
        let cluster = try await cluster(nodes, form)
        defer { cluster.close() }
        let start = ContinuousClock.now
        let scan = try SkyScan(
            reader: try ImageReader(image: form.image.path), parameters: ScanParameters(),
            coordinator: cluster.coordinator, job: .random(in: .min ... .max))
        let result = try await scan.run()
        guard result.missing.isEmpty else { throw BenchmarkError("sectors are missing from the benchmark's scan") }
        let seconds = (ContinuousClock.now - start).seconds
        let traffic = cluster.nodes.traffic
        return (
            seconds, result.sources.count, scan.bandCount, traffic.sent.attempts, traffic.compressed.attempts
        )
    }
}
