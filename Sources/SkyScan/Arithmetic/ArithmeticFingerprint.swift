internal import CElementary
internal import Dispatch
internal import Foundation
internal import ScanBasics
public import ScanNetwork
package import SkyExtraction
internal import SkyFITS
package import SkyMeasurement
internal import TaskJournal

/// How this process computes: checksums of all that a small built-in scan gives, and of what it rests on.
///
/// The scan runs the functions that tasks run, in every mode of noise, filter and maps. Where two processes have the
/// same fingerprint, a band of an image gives the same bits in both. Another version of the kernel or a fault of its
/// compilation changes bits, and with them the fingerprint. The C library's functions and the instructions of the
/// processor do not, since nothing that reaches a catalogue depends on them.
public struct ArithmeticFingerprint: Equatable, Sendable, CustomStringConvertible {
    /// Checksums of the elementary functions, of the kernel's scans, of the conversion of stored samples and of world
    /// coordinates.
    private let checksums: [UInt64]

    /// The fingerprint of this process, as `FingerprintCache` has it. Otherwise it is computed when it is first used,
    /// which takes ten milliseconds of processor time.
    public static let current = ArithmeticFingerprint(
        checksums: FingerprintCache(environment: ProcessInfo.processInfo.environment)
            .values(of: FingerprintCache.key()) { ArithmeticFingerprint(of: BuiltInPatch()).checksums })

    private init(checksums: [UInt64]) { self.checksums = checksums }

    /// Sixteen hexadecimal digits.
    public var description: String { Self.checksum(of: checksums).hexadecimal }

    /// The parts with four digits of each checksum, as "functions 1f2e, kernel 3d4c".
    package var parts: String {
        zip(["functions", "kernel", "reader", "coordinates"], checksums)
            .map { "\($0) \($1.hexadecimal.prefix(4))" }.joined(separator: ", ")
    }

    /// The checksums of all outputs. An error in place of an output counts by its text: then every scan
    /// fails, and reports it in its turn.
    package init(of patch: BuiltInPatch) {
        let others = [Self.functions, Self.reader, Self.coordinates]
        var results = [UInt64](repeating: 0, count: Self.modes.count + others.count)
        results.withUnsafeMutableBufferPointer { results in
            // Unsafe: each iteration writes its own element, and all have ended when the call returns.
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: results.count) { index in
                results[index] =
                    index < others.count
                    ? others[index]() : Self.checksum(of: patch, Self.modes[index - others.count])
            }
        }
        checksums = [results[0], Self.checksum(of: Array(results[others.count...])), results[1], results[2]]
    }

    private static func checksum(of patch: BuiltInPatch, _ mode: Mode) -> UInt64 {
        var checksums: [UInt64] = []
        do {
            try mode.scan(patch) { checksums.append(try Checksum.of($0)) }
        } catch {
            checksums.append(checksum(of: Array("\(error)".utf8)))
        }
        return checksum(of: checksums)
    }

    static func checksum<Element: BitwiseCopyable>(of values: [Element]) -> UInt64 {
        values.withUnsafeBytes { Checksum.of($0) }
    }

    /// A way to scan the patch.
    package struct Mode: Sendable {
        package var masked = false
        package var weighted = false
        package var change: @Sendable (inout ScanParameters) -> Void

        /// Scans the patch and passes every output on.
        @discardableResult
        package func scan(
            _ patch: BuiltInPatch, _ take: @escaping (any Encodable) throws -> Void
        ) throws -> SerialScan.Result {
            var parameters = ScanParameters()
            (parameters.meshWidth, parameters.meshHeight) = (16, 16)
            change(&parameters)
            var scan = try SerialScan(
                width: BuiltInPatch.width, height: BuiltInPatch.height, parameters: parameters,
                requestedRows: BuiltInPatch.bandRows)
            scan.plan.halo = BuiltInPatch.halo
            scan.onOutput = take
            let result = try patch.withView(masked: masked, weighted: weighted, scan.run)
            try take(result.sources)
            return result
        }
    }

    /// Together they use every filter, every noise, both kinds of map, errors with and without a gain, and measurements on
    /// request.
    package static let modes = [
        Mode { _ in },
        Mode(masked: true) { parameters in
            (parameters.noise, parameters.filter, parameters.gain) = (.map, .matched, 1.5)
            parameters.deblendLevels = 8
        },
        Mode(weighted: true) { parameters in
            (parameters.noise, parameters.filter, parameters.gain) = (.weights, .none, 0)
            (parameters.threshold, parameters.deblendLevels, parameters.clean) = (2.5, 16, nil)
        },
        Mode(masked: true) { parameters in
            var request = MeasurementRequest()
            (request.isWindowed, request.vignetteWidth, request.vignetteHeight) = (true, 5, 5)
            request.pointSpread = Self.pointSpread
            (parameters.gain, parameters.measurements) = (1.5, request)
        },
    ]

    /// A star of the patch, three pixels wide.
    private static var pointSpread: PointSpreadModel {
        let samples = (0..<81).map { place in
            let (x, y) = (Double(place % 9 - 4), Double(place / 9 - 4))
            return Float(0.098 * Elementary.exp(-(x * x + y * y) / 3.25))
        }
        var model = PointSpreadModel(width: 9, height: 9, step: 1, fwhm: 3, samples: samples)
        model.extend()
        return model
    }
}

extension Arithmetic {
    /// The arithmetic of sky scans in this process: see `ArithmeticFingerprint`.
    public static var sky: Arithmetic {
        let current = ArithmeticFingerprint.current
        return Arithmetic(
            fingerprint: "\(current)", libraries: "CFITSIO \(StoredSamples.libraryVersion), \(current.parts)")
    }
}
