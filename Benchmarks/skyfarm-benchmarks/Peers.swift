import Foundation

/// Other source extractors on the same image, run by the drivers in Benchmarks/peers.
struct Peers {
    private let image: URL
    private let folder: URL

    init(_ image: URL, _ folder: URL) {
        self.image = image
        self.folder = folder
    }

    /// Runs SEP over the whole image; the interpreter's start and imports are not measured.
    func wholeImageSEP() throws -> (seconds: Double, sources: Int) {
        struct Result: Decodable {
            var seconds: Double
            var sources: Int
        }
        let catalogue = folder.appending(path: "python-sep.fits")
        try? FileManager.default.removeItem(at: catalogue)
        let output = try PeerProgram.run(
            "/usr/bin/python3",
            [PeerProgram.drivers.appending(path: "sep_whole_image.py").path, image.path, catalogue.path], in: folder)
        let result = try JSONDecoder().decode(Result.self, from: output)
        return (result.seconds, result.sources)
    }

    /// Runs source-extractor, measured from the start to the end of its process.
    func sourceExtractor() throws -> (seconds: Double, sources: Int) {
        let catalogue = folder.appending(path: "source-extractor.fits")
        try? FileManager.default.removeItem(at: catalogue)
        let start = ContinuousClock.now
        _ = try PeerProgram.run(
            Self.sourceExtractor, [image.path] + Self.settings(catalogue: catalogue), in: folder)
        let seconds = (ContinuousClock.now - start).seconds
        return (seconds, try Self.rows(of: catalogue))
    }

    /// The program source-extractor.
    static let sourceExtractor = "/usr/bin/source-extractor"

    /// Arguments of source-extractor, after the image.
    static func settings(catalogue: URL) -> [String] {
        let drivers = PeerProgram.drivers
        return [
            "-c", drivers.appending(path: "source_extractor.sex").path,
            "-PARAMETERS_NAME", drivers.appending(path: "source_extractor.param").path,
            "-FILTER_NAME", drivers.appending(path: "source_extractor.conv").path,
            "-CATALOG_NAME", catalogue.path,
        ]
    }

    /// NAXIS2 of the catalogue's table.
    static func rows(of catalogue: URL) throws -> Int {
        let bytes = try FileHandle(forReadingFrom: catalogue).read(upToCount: 1 << 16) ?? Data()
        let text = String(decoding: bytes, as: UTF8.self)
        guard
            let card = text.range(of: "XTENSION").flatMap({
                text.range(of: "NAXIS2  =", range: $0.upperBound..<text.endIndex)
            })
        else { throw BenchmarkError("source-extractor wrote no table") }
        return Int(text[card.upperBound...].prefix(21).trimmingCharacters(in: .whitespaces)) ?? 0
    }
}
