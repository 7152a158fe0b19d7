internal import ScanBasics
internal import SkyCalibration
internal import SkyExtraction
internal import SkyFITS

/// Header entries of a catalogue, which suffice to repeat the scan.
enum CatalogueHeader {
    /// Returns entries about the image, the software and the parameters of a scan.
    static func entries(
        of result: SkyScanResult, image: ImageSummary, parameters: ScanParameters,
        checksums: InputChecksums?, software: String
    ) -> [HeaderEntry] {
        var entries =
            program(software, isEqual: result.differentNodes.isEmpty)
            + [HeaderEntry("IMAGE", .text(image.name), comment: "Scanned image")] + pixels(image, checksums)
            + CalibrationCards.entries(in: image.header) + observation(Observation(image.cards))
        entries +=
            map("MASK", "Mask", image.mask, checksums?.mask)
            + map("WGHT", "Weight map", image.weights, checksums?.weights)
        entries += settings(parameters)
        if let scale = result.varianceScale {
            entries.append(HeaderEntry("WGHTVAR", .real(scale), comment: "Variance of a pixel of weight 1"))
        }
        if let trails = result.trails {
            entries.append(HeaderEntry("NTRAILS", .integer(trails.count), comment: "Trails of satellites"))
        }
        return entries + [
            HeaderEntry("MASKED", .integer(result.maskedPixels), comment: "Masked pixels"),
            HeaderEntry("BACKGR", .real(Double(result.globalLevel)), comment: "Median background"),
            HeaderEntry("NOISERMS", .real(Double(result.globalNoise)), comment: "Median noise"),
            HeaderEntry("REMOVED", .integer(result.removed), comment: "Detections removed by cleaning"),
        ] + [missing(result.missing.count)]
    }

    /// Returns the entries of a complete catalogue that determine its sources: all except names and results.
    static func identity(
        image: ImageSummary, parameters: ScanParameters, checksums: InputChecksums, software: String
    ) -> [HeaderEntry] {
        let maps =
            map("MASK", "Mask", image.mask, checksums.mask)
            + map("WGHT", "Weight map", image.weights, checksums.weights)
        return program(software, isEqual: true) + pixels(image, checksums)
            + CalibrationCards.entries(in: image.header) + maps.filter { $0.key.hasSuffix("XXH3") }
            + settings(parameters) + [missing(0)]
    }

    private static func program(_ software: String, isEqual: Bool) -> [HeaderEntry] {
        [
            HeaderEntry("CREATOR", .text(software), comment: "Program"),
            HeaderEntry("SEPVERS", .text(ComparedSEP.reported), comment: "Version that SEP reports"),
            HeaderEntry("SEPVERIF", .logical(true), comment: "Exact scan verified with this version"),
            HeaderEntry("ARITHFP", .text("\(ArithmeticFingerprint.current)"), comment: "Arithmetic fingerprint"),
            HeaderEntry("ARITHEQ", .logical(isEqual), comment: "All systems computed alike"),
        ]
    }

    private static func pixels(_ image: ImageSummary, _ checksums: InputChecksums?) -> [HeaderEntry] {
        [
            HeaderEntry("IMGHDU", .integer(image.hdu), comment: "HDU number, 0 is the primary")
        ] + (image.plane.map { [HeaderEntry("IMGPLANE", .integer($0), comment: "Plane of the cube, from 1")] } ?? [])
            + [
                HeaderEntry("IMGWIDTH", .integer(image.width), comment: "[pix]"),
                HeaderEntry("IMGHEIGH", .integer(image.height), comment: "[pix]"),
            ]
            + (checksums.map {
                // A raw frame is another image than its pixels once they are calibrated.
                [
                    HeaderEntry(
                        image.isRaw ? "RAWXXH3" : "IMGXXH3", .text($0.image.hexadecimal),
                        comment: "XXH3-64 of header and samples")
                ]
            } ?? [])
    }

    /// Returns entries about the exposure; a merged catalogue has them as columns.
    private static func observation(_ observation: Observation) -> [HeaderEntry] {
        [
            observation.date.map { HeaderEntry("IMGDATE", .text($0), comment: "DATE-OBS of the image") },
            observation.modifiedJulianDate.map {
                HeaderEntry("IMGMJD", .real($0), comment: "[d] Begin of the exposure, MJD")
            },
            observation.filter.map { HeaderEntry("IMGFILT", .text($0), comment: "Filter of the image") },
            observation.exposure.map { HeaderEntry("IMGEXPT", .real($0), comment: "[s] Exposure time") },
        ].compactMap(\.self)
    }

    private static func missing(_ count: Int) -> HeaderEntry {
        HeaderEntry("NSECTMIS", .integer(count), comment: "Sectors missing, see HISTORY")
    }

    private static func map(_ key: String, _ kind: String, _ name: String?, _ checksum: UInt64?) -> [HeaderEntry] {
        guard let name else { return [] }
        let file = HeaderEntry(key + "FILE", .text(name), comment: kind)
        guard let checksum else { return [file] }
        return [
            file, HeaderEntry(key + "XXH3", .text(checksum.hexadecimal), comment: "XXH3-64 of header and samples"),
        ]
    }

    private static func settings(_ parameters: ScanParameters) -> [HeaderEntry] {
        guard let forced = parameters.forced else { return detection(parameters) + background(parameters) }
        let diameters = forced.apertures.map(\.description).joined(separator: " ")
        return [
            HeaderEntry("POSXXH3", .text(forced.list.hexadecimal), comment: "XXH3-64 of the list of positions"),
            HeaderEntry("APERDIAM", .text(diameters), comment: "[pix] Diameters of the apertures"),
            HeaderEntry("LIMSIGMA", .real(forced.limit), comment: "Upper limits, in units of the noise"),
        ] + background(parameters)
    }

    private static func detection(_ parameters: ScanParameters) -> [HeaderEntry] {
        [
            HeaderEntry("THRESH", .real(parameters.threshold), comment: "Detection threshold, in units of the noise"),
            HeaderEntry("MINAREA", .integer(parameters.minArea), comment: "[pix] Minimum pixels of a source"),
            HeaderEntry("DEBLEVEL", .integer(parameters.deblendLevels), comment: "Number of deblending thresholds"),
            HeaderEntry("DEBCONTR", .real(parameters.deblendContrast), comment: "Deblending contrast"),
            HeaderEntry("CLEAN", .real(parameters.clean ?? 0), comment: "Cleaning parameter, 0 is off"),
            HeaderEntry("FILTER", .text(parameters.filter.rawValue), comment: "Filter before detection"),
            HeaderEntry("KERNEL", .text(kernelText(parameters)), comment: "Rows of the kernel"),
            HeaderEntry("APERRAD", .real(parameters.apertureRadius), comment: "[pix] Radius of flux_aper"),
            HeaderEntry("KRONFACT", .real(parameters.kronFactor), comment: "Size of flux_auto in Kron radii"),
            HeaderEntry("KRONMIN", .real(parameters.kronMinimum), comment: "Minimum size of flux_auto in a and b"),
        ]
    }

    /// Returns entries about the background and the errors.
    private static func background(_ parameters: ScanParameters) -> [HeaderEntry] {
        [
            HeaderEntry("MESHW", .integer(parameters.meshWidth), comment: "[pix] Background mesh"),
            HeaderEntry("MESHH", .integer(parameters.meshHeight), comment: "[pix] Background mesh"),
            HeaderEntry("MESHFW", .integer(parameters.meshFilterWidth), comment: "Median filter, in meshes"),
            HeaderEntry("MESHFH", .integer(parameters.meshFilterHeight), comment: "Median filter, in meshes"),
            HeaderEntry("NOISE", .text(parameters.noise.rawValue), comment: "Noise for threshold and errors"),
        ] + (parameters.backgroundLevel.map { [HeaderEntry("BACKVAL", .real($0), comment: "Given background")] } ?? [])
            + (parameters.noise == .weights && parameters.weightMap != .weight
                ? [HeaderEntry("WGHTMAP", .text(parameters.weightMap.rawValue), comment: "Samples of the weight map")]
                : [])
            + (parameters.rescalesWeights
                ? [] : [HeaderEntry("WGHTSCAL", .logical(false), comment: "Weights are scaled to the noise")])
            + [
                HeaderEntry("GAIN", .real(parameters.gain), comment: "[e-/unit] Gain, 0 omits photon noise")
            ]
    }

    private static func kernelText(_ parameters: ScanParameters) -> String {
        guard parameters.filter != .none else { return "none" }
        let kernel = parameters.kernel
        return (kernel.isNormalized ? "" : "not normalised: ")
            + stride(from: 0, to: kernel.values.count, by: kernel.width).map { start in
                kernel.values[start..<start + kernel.width].map(\.description).joined(separator: " ")
            }.joined(separator: "; ")
    }
}
