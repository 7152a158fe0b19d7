import Foundation

/// A folder of its own for one test, with input files of all kinds; removed with it.
final class Scene {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "skyfarm-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/out", withIntermediateDirectories: true)
    }

    deinit {
        chmod(folder + "/out", 0o755)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Names in the folder of outputs.
    var outputs: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path("out"))) ?? []).sorted() }

    func write(_ bytes: some Sequence<UInt8>, _ name: String) throws -> String {
        // Foundation's own descriptor would be inherited by children of other tests, which would keep the file open: who
        // watches it would not hear that its writer has closed it.
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Program.Failure(description: "\(path(name)): \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(bytes))
        try file.close()
        return path(name)
    }

    /// A script of the shell that can be run. Another process writes it: children of other tests would inherit this one's
    /// descriptor, and a file that is open for writing cannot be run.
    func script(_ body: String, _ name: String) throws -> String {
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\""
        let result = try Program.run(path: "sh", ["-c", write, "sh", body, path(name)])
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return path(name)
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    /// A synthetic sky, made by the program itself.
    func sky(_ name: String = "sky.fits", size: String = "600x500", _ further: [String] = []) throws -> String {
        let result = try Program.run(["synth", path(name), "--size", size, "--quiet"] + further)
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return path(name)
    }

    /// A FITS file of one HDU with these axes, filled with `sample` as 32-bit floats.
    func image(_ name: String, axes: [Int], sample: Float) throws -> String {
        try image(name, axes: axes, samples: Array(repeating: sample, count: axes.reduce(1, *)))
    }

    /// A FITS file of one HDU with these axes, samples as 32-bit floats, and further cards.
    func image(_ name: String, axes: [Int], samples: [Float], cards further: [String] = []) throws -> String {
        var cards = ["SIMPLE  =                    T", "BITPIX  =                  -32"]
        cards.append("NAXIS   = " + Self.right(axes.count))
        for (index, length) in axes.enumerated() { cards.append("NAXIS\(index + 1)  = " + Self.right(length)) }
        let bytes = samples.map(\.bitPattern.bigEndian).withUnsafeBytes { Array($0) }
        return try write(Self.block(cards + further) + Self.padded(bytes, with: 0), name)
    }

    /// A FITS file of `count` images, `CCD1` and so on, in extensions.
    func mosaic(_ name: String, count: Int) throws -> String {
        let primary = [
            "SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   = " + Self.right(0),
        ]
        let extensions = (1...count).flatMap { number in
            let cards = [
                "XTENSION= 'IMAGE   '", "BITPIX  = " + Self.right(-32), "NAXIS   = " + Self.right(2),
                "NAXIS1  = " + Self.right(70), "NAXIS2  = " + Self.right(90), "PCOUNT  = " + Self.right(0),
                "GCOUNT  = " + Self.right(1), "EXTNAME = 'CCD\(number)'",
            ]
            return Self.block(cards) + Self.padded([UInt8](repeating: 0, count: 70 * 90 * 4), with: 0)
        }
        return try write(Self.block(primary) + extensions, name)
    }

    /// A FITS file whose only content is a table.
    func table(_ name: String) throws -> String {
        let primary = [
            "SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   = " + Self.right(0),
        ]
        let table = [
            "XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   = " + Self.right(2),
            "NAXIS1  = " + Self.right(4), "NAXIS2  = " + Self.right(3), "PCOUNT  = " + Self.right(0),
            "GCOUNT  = " + Self.right(1), "TFIELDS = " + Self.right(1), "TFORM1  = 'J       '", "EXTNAME = 'STARS   '",
        ]
        return try write(
            Self.block(primary) + Self.block(table) + Self.padded([UInt8](repeating: 0, count: 12), with: 0), name)
    }

    /// A file of PSFEx with that many equal models of 5 x 5 samples; `axes`: what its cards say of them.
    func pointSpread(_ name: String, models: Int = 1, axes: [Int] = [5, 5]) throws -> String {
        let primary = [
            "SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   = " + Self.right(0),
        ]
        let table =
            [
                "XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   = " + Self.right(2),
                "NAXIS1  = " + Self.right(100), "NAXIS2  = " + Self.right(1), "PCOUNT  = " + Self.right(0),
                "GCOUNT  = " + Self.right(1), "TFIELDS = " + Self.right(1), "TTYPE1  = 'PSF_MASK'",
                "TFORM1  = '25E     '", "EXTNAME = 'PSF_DATA'", "PSF_FWHM= 3.0", "PSF_SAMP= 1.0",
            ] + axes.enumerated().map { "PSFAXIS\($0 + 1)= " + Self.right($1) }
        let samples = (0..<25).flatMap { place in
            let (x, y) = (Double(place % 5 - 2), Double(place / 5 - 2))
            return withUnsafeBytes(of: Float(exp(-(x * x + y * y) / 3) / 9).bitPattern.bigEndian) { Array($0) }
        }
        let model = Self.block(table) + Self.padded(samples, with: 0)
        return try write(Self.block(primary) + (0..<models).flatMap { _ in model }, name)
    }

    private static func right(_ value: Int) -> String {
        let digits = String(value)
        return String(repeating: " ", count: 20 - digits.count) + digits
    }

    private static func block(_ cards: [String]) -> [UInt8] {
        padded(
            (cards + ["END"]).flatMap { card in Array((card + String(repeating: " ", count: 80 - card.count)).utf8) },
            with: UInt8(ascii: " "))
    }

    private static func padded(_ bytes: [UInt8], with filler: UInt8) -> [UInt8] {
        bytes + Array(repeating: filler, count: (2880 - bytes.count % 2880) % 2880)
    }
}

/// The report of a scan, read back from `--json`.
struct Report: Decodable {
    var v: Int
    var sources: Int
    var tasks: Tasks
    var systems: [Share]
    var steps: [Share]
    var files: [File]

    /// Bands of the first image.
    var bands: Int { files.first?.images.first?.bands ?? 0 }

    struct File: Decodable {
        var file: String
        var images: [Image]
        var outputs: [String]
    }

    struct Image: Decodable, Equatable {
        var hdu: Int
        var gain: Double?
        var sources: Int
        var bands: Int
        var missing: [Missing]
        var warnings: [String]
    }

    struct Missing: Decodable, Equatable {
        var reason: String
        var log: [String]?
    }

    struct Tasks: Decodable {
        var done: Int
        var resumed: Int
        var retries: Int
        var missing: Int
    }

    struct Share: Decodable {
        var name: String
        var tasks: Int
    }

    init(_ text: String) throws { self = try JSONDecoder().decode(Report.self, from: Data(text.utf8)) }
}
