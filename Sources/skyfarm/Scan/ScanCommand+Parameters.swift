import CommandLineKit
import Foundation
import SkyImage

extension ScanCommand {
    /// The detection parameters as the scan takes them.
    func parameters() throws -> ScanParameters {
        let detection = options.detection
        var parameters = ScanParameters()
        parameters.threshold = detection.threshold
        parameters.minArea = detection.minArea
        parameters.deblendLevels = detection.deblendLevels
        parameters.deblendContrast = detection.deblendContrast
        parameters.clean = detection.clean
        parameters.meshWidth = detection.mesh
        parameters.meshHeight = detection.mesh
        parameters.meshFilterWidth = detection.meshFilter
        parameters.meshFilterHeight = detection.meshFilter
        parameters.filter =
            switch detection.filter {
            case .conv: .conv
            case .matched: .matched
            case .none: .none
            }
        parameters.noise =
            switch detection.noise {
            case .global: .global
            case .map: .map
            }
        if detection.weight != nil { parameters.noise = .weights }
        if let path = detection.kernel { parameters.kernel = try Self.kernel(path) }
        do {
            try parameters.validate()
        } catch {
            throw UsageError("scan: \(error)")
        }
        return parameters
    }

    private static func kernel(_ path: String) throws(CommandError) -> ConvolutionKernel {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.input, "\(path): cannot be read; check its name and permissions")
        }
        do {
            return try ConvolutionKernel(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw CommandError(.input, "\(path): \(error)")
        }
    }
}
