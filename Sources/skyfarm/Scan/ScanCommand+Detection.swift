import CommandLineKit
import SkyImage

extension ScanCommand.Options {
    /// How sources are found: SExtractor's parameters with SExtractor's defaults.
    struct Detection: Equatable, Sendable {
        /// In units of the noise.
        var threshold: Double
        /// Pixels.
        var minArea: Int
        var deblendLevels: Int
        var deblendContrast: Double
        /// Nil: no cleaning.
        var clean: Double?
        /// Pixels of a background mesh, each way.
        var mesh: Int
        /// Meshes of the median filter, each way.
        var meshFilter: Int
        var filter: Filter
        /// Nil: SExtractor's 3 × 3 kernel.
        var kernel: String?
        var noise: Noise
        var mask: String?
        var weight: String?

        enum Filter: String, CaseIterable, Sendable { case conv, matched, none }

        enum Noise: String, CaseIterable, Sendable { case global, map }

        init(_ arguments: Arguments) throws(UsageError) {
            threshold = try arguments[Self.threshold]
            minArea = try arguments[Self.minArea]
            deblendLevels = try arguments[Self.deblendLevels]
            deblendContrast = try arguments[Self.deblendContrast]
            clean = try arguments[Self.clean].value
            mesh = try arguments[Self.mesh]
            meshFilter = try arguments[Self.meshFilter]
            filter = try arguments[Self.filter]
            kernel = try arguments[Self.kernel]
            noise = try arguments[Self.noise]
            mask = try arguments[Self.mask]
            weight = try arguments[Self.weight]
        }

        /// A parameter of cleaning, or `off`.
        private struct Cleaning: Sendable {
            var value: Double?

            static let form = ValueForm<Cleaning>(
                placeholder: "X",
                expected: "\(ValueForm.number("X", ScanParameters.Limits.clean).expected), or off",
                parse: { text in
                    if text == "off" { return Cleaning(value: nil) }
                    return Double(text).flatMap { ScanParameters.Limits.clean.contains($0) ? Cleaning(value: $0) : nil }
                }, show: { $0.value.map(plainText) ?? "off" })
        }

        private static let threshold = Option.value(
            "threshold", .number("SIGMA", ScanParameters.Limits.threshold), default: 1.5, layers: .all,
            help: "Detect above so many times the noise")
        private static let minArea = Option.value(
            "min-area", .integer("PIXELS", ScanParameters.Limits.minArea), default: 5, layers: .all,
            help: "Fewest pixels of a source")
        private static let deblendLevels = Option.value(
            "deblend-levels", .integer("N", ScanParameters.Limits.deblendLevels), default: 32, layers: .all,
            help: "Thresholds of deblending")
        private static let deblendContrast = Option.value(
            "deblend-contrast", .number("SHARE", ScanParameters.Limits.deblendContrast), default: 0.005, layers: .all,
            help: "Least share of a blend's flux that makes a source of its own")
        private static let clean = Option.value(
            "clean", Cleaning.form, default: Cleaning(value: 1), layers: .all,
            help: "Drop detections that the wings of a neighbour explain; off keeps all")
        private static let mesh = Option.value(
            "mesh", .integer("PIXELS", ScanParameters.Limits.mesh), default: 64, layers: .all,
            help: "Size of a background mesh")
        private static let meshFilter = Option.value(
            "mesh-filter", .integer("MESHES", ScanParameters.Limits.meshFilter), default: 3, layers: .all,
            help: "Size of the median filter over meshes")
        private static let filter = Option.value(
            "filter", .choice("NAME"), default: Filter.conv, layers: .all, help: "Filter before detection")
        private static let kernel = Option.optional(
            "kernel", .file(), fallback: "SExtractor's 3x3 pyramid", layers: .all,
            help: "Kernel of the filter, in SExtractor's .conv format")
        private static let noise = Option.value(
            "noise", .choice("NAME"), default: Noise.global, layers: .all, help: "Noise that the threshold counts in")
        private static let mask = Option.optional(
            "mask", .file(), help: "Image of the same size; pixels that are not 0 are left out")
        private static let weight = Option.optional(
            "weight", .file(), help: "Weight map of the same size: sets the noise of each pixel; 0 leaves it out")

        static let section = OptionSection(
            title: "Detection",
            options: [
                threshold.spec, minArea.spec, deblendLevels.spec, deblendContrast.spec, clean.spec, mesh.spec,
                meshFilter.spec, filter.spec, kernel.spec, noise.spec, mask.spec, weight.spec,
            ])
    }
}
