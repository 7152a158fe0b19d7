internal import Dispatch
internal import Foundation
internal import ScanBasics
public import ScanNetwork
package import SkyExtraction
package import SkyMeasurement
internal import TaskJournal

/// How this process computes: the checksum of everything that a small built-in scan gives.
///
/// The scan runs the functions that tasks run, in every mode of noise, filter and maps. Where two processes have the
/// same fingerprint, a band of an image gives the same bits in both. Another build of the kernel, another C library,
/// or a processor with other instructions can change the last bits, and with them the fingerprint.
public struct ArithmeticFingerprint: Equatable, Sendable, CustomStringConvertible {
    private let value: UInt64

    /// The fingerprint of this process, as ``FingerprintCache`` has it. Otherwise it is computed when it is first used,
    /// which takes ten milliseconds of processor time.
    public static let current = ArithmeticFingerprint(
        value: FingerprintCache(environment: ProcessInfo.processInfo.environment)
            .value(of: FingerprintCache.key()) { ArithmeticFingerprint(of: BuiltInPatch()).value })

    private init(value: UInt64) { self.value = value }

    /// Sixteen hexadecimal digits.
    public var description: String { value.hexadecimal }

    /// The checksum of all outputs. An error in place of an output counts by its text: then every scan
    /// fails, and reports it in its turn.
    package init(of patch: BuiltInPatch) {
        var checksums = [UInt64](repeating: 0, count: Self.modes.count + 1)
        checksums.withUnsafeMutableBufferPointer { checksums in
            // Unsafe: each iteration writes its own element, and all have ended when the call returns.
            nonisolated(unsafe) let checksums = checksums
            DispatchQueue.concurrentPerform(iterations: checksums.count) { index in
                checksums[index] =
                    index < Self.modes.count
                    ? Self.checksum(of: patch, Self.modes[index]) : Self.checksum(of: Self.functionValues())
            }
        }
        value = Self.checksum(of: checksums)
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

    private static func checksum<Element: BitwiseCopyable>(of values: [Element]) -> UInt64 {
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
            return Float(0.098 * exp(-(x * x + y * y) / 3.25))
        }
        var model = PointSpreadModel(width: 9, height: 9, step: 1, fwhm: 3, samples: samples)
        model.extend()
        return model
    }

    /// Values of the C library's functions that scans use, 4096 of each.
    ///
    /// The library has variants for processors with and without fused multiply-add. Their values differ in about one of
    /// a thousand places, which the few sources of the patch may miss.
    private static func functionValues() -> [Double] {
        let functions: [(Double) -> Double] = [
            exp, log, sin, cos, asin, atan, { pow($0, 0.3) }, { atan2($0, 0.7) }, { Double(expf(Float($0))) },
        ]
        return functions.flatMap { function in (1...4096).map { function(Double($0) / 4099) } }
    }
}

extension Arithmetic {
    /// The arithmetic of sky scans in this process: see ``ArithmeticFingerprint``.
    public static var sky: Arithmetic {
        Arithmetic(fingerprint: "\(ArithmeticFingerprint.current)", libraries: cLibrary)
    }

    /// The C library, whose functions the kernel calls, as "glibc 2.36".
    private static var cLibrary: String {
        #if canImport(Glibc)
            var name = [UInt8](repeating: 0, count: 64)
            let count = name.withUnsafeMutableBytes { confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, $0.count) }
            if count > 1 { return String(decoding: name.prefix(min(count, name.count) - 1), as: UTF8.self) }
        #endif
        return "the system's C library"
    }
}
