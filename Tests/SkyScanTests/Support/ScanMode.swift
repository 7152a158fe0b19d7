import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkyTestSupport

/// The real images and the ways in which their reference catalogues were made.
struct ScanMode: CustomStringConvertible, Sendable {
    var image: RealImage
    var mode: String

    private static let modes = ["scalar", "conv", "matched"]
    static let all = RealImages.all.flatMap { image in modes.map { ScanMode(image: image, mode: $0) } }

    /// Position of the mode, from 0.
    var index: Int { Self.modes.firstIndex(of: mode) ?? 0 }

    var description: String { "\(image), \(mode)" }

    var path: String { image.path }

    var parameters: ScanParameters {
        var parameters = ScanParameters()
        parameters.noise = mode == "scalar" ? .global : .map
        parameters.filter = mode == "matched" ? .matched : .conv
        return parameters
    }

    /// The catalogue of the whole image on one thread, which other tests compare with SEP's.
    func reference() throws -> SourceTable {
        let image = try FITSImage(path)
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        let scan = try SerialScan(width: image.width, height: image.height, parameters: parameters)
        return try TestImage(width: image.width, height: image.height, pixels: pixels).withView(scan.run).sources
    }
}
