/// Options of the command line.
struct BenchmarkOptions {
    enum Suite: String, CaseIterable {
        case scan, dispatch, latency, codec, tls, scale, share, wire, dashboard, start, night, images, skies, map
    }

    var suite: Suite
    var json = false
    /// Measured rounds of a suite.
    var runs = 5
    /// Columns and rows of the image, in pixels; in a night, of its large images; of skies, of the largest tiled one.
    var size: Int
    /// Whether other programs are measured as well.
    var peers = true
    /// The images of the suite `images`.
    var files: [String] = []
    /// The rows of the suite `night` that are measured.
    var rows: [NightRow] = []
    /// The links of the suite `wire` that are measured.
    var links: [WireSuite.Link] = []

    struct UsageError: Error, CustomStringConvertible {
        var description: String
    }

    private static let usage = """
        usage: skyfarm-benchmarks scan|dispatch|latency|codec|tls|scale|share|wire|dashboard|start|night|skies|map|
                 images FILE...
                 [--json] [--runs N] [--size PIXELS] [--no-peers]
               night also has [--row ROW]..., one of: \(NightRow.allCases.map(\.rawValue).joined(separator: ", "))
               wire also has [--link LINK]..., one of: \(WireSuite.Link.allCases.map(\.rawValue).joined(separator: ", "))
        """

    init(_ arguments: [String]) throws(UsageError) {
        guard let suite = arguments.first.flatMap(Suite.init(rawValue:)) else {
            throw UsageError(description: Self.usage)
        }
        self.suite = suite
        size = suite == .night ? 2048 : suite == .skies ? 10_000 : 4096
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--json": json = true
            case "--no-peers": peers = false
            case "--runs": runs = try Self.number(rest.popFirst(), in: 1...1000)
            case "--size": size = try Self.number(rest.popFirst(), in: 256...20_000)
            case "--row" where suite == .night: rows.append(try Self.row(rest.popFirst()))
            case "--link" where suite == .wire: links.append(try Self.link(rest.popFirst()))
            case let file where suite == .images && !file.hasPrefix("-"): files.append(file)
            default: throw UsageError(description: "unknown option \(option)\n" + Self.usage)
            }
        }
        if rows.isEmpty { rows = NightRow.allCases }
        if links.isEmpty { links = WireSuite.Link.allCases }
        if suite == .images && files.isEmpty { throw UsageError(description: "no image is given\n" + Self.usage) }
    }

    private static func link(_ text: String?) throws(UsageError) -> WireSuite.Link {
        guard let link = text.flatMap(WireSuite.Link.init(rawValue:)) else {
            throw UsageError(description: "\(text.map { "there is no link \($0)" } ?? "--link needs a name")\n" + usage)
        }
        return link
    }

    private static func row(_ text: String?) throws(UsageError) -> NightRow {
        guard let row = text.flatMap(NightRow.init(rawValue:)) else {
            throw UsageError(description: "\(text.map { "there is no row \($0)" } ?? "--row needs a name")\n" + usage)
        }
        return row
    }

    private static func number(_ text: String?, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let text, let number = Int(text), range.contains(number) else {
            throw UsageError(
                description: "expected a number from \(range.lowerBound) to \(range.upperBound)\n" + usage)
        }
        return number
    }
}
