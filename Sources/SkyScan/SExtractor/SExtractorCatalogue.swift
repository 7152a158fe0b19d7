internal import Foundation
public import SkyCatalogue
public import SkyExtraction
public import SkyFITS

extension SkyScanResult {
    /// Returns the catalogue with SExtractor's columns.
    /// - Parameters:
    ///   - image: size, header and names of the image.
    ///   - parameters: parameters of the scan, which requested measurements.
    ///   - settings: the columns, and the settings on which they depend.
    ///   - extensionNumber: value of EXT_NUMBER, from 1.
    ///   - network: neural network for CLASS_STAR.
    ///   - flagImage: flag image of the same size as the image.
    ///   - checksums: checksums of the image and its maps.
    ///   - software: name and version of the program.
    /// - Returns: A table with one row per source.
    /// - Throws: `ScanSetupError` if nothing was measured, or `ImageError` if the flag image cannot be read.
    public func table(
        image: ImageSummary, parameters: ScanParameters, settings: SExtractorSettings, extensionNumber: Int = 1,
        network: StarNetwork? = nil, flagImage: FITSImage? = nil, checksums: InputChecksums?, software: String
    ) throws -> CatalogueTable {
        guard let measured, let request = parameters.measurements else {
            throw ScanSetupError("the scan did not measure what the columns need")
        }
        var context = SExtractorContext(
            self, measured, image: image, parameters: parameters, request: request, settings: settings,
            extensionNumber: extensionNumber)
        context.network = network
        context.imageFlags = try flagImage.map { try FlagReader.flags(of: measured.pixels, in: $0) }
        var columns: [CatalogueTable.Column] = []
        for item in settings.columns.items {
            guard let column = SExtractorColumn.named(item.name) else { continue }
            var made = CatalogueTable.Column(
                item.name, unit: column.unit.isEmpty ? nil : column.unit, description: column.comment,
                item.name == "VIGNET"
                    ? .array(measured.table.vignettes, shape: item.size)
                    : column.tableValues(context, size: item.size.first ?? 1))
            if let rows = context.selectedSources {
                made.values =
                    item.name == "NUMBER" ? .int32(rows.indices.map { Int32($0 + 1) }) : made.values.selecting(rows)
            }
            made.display = column.display
            columns.append(made)
        }
        let plain = table(image: image, parameters: parameters, checksums: checksums, software: software)
        var table = CatalogueTable(
            columns: columns,
            header: [HeaderEntry("MAGZERO", .real(settings.zeroPoint), comment: "Magnitude of a flux of 1")]
                + plain.header, history: plain.history)
        table.field = FieldHeader(
            image: image.header,
            entries: context.fieldEntries(of: image, background: globalLevel, noise: globalNoise, software: software))
        return table
    }
}

extension SExtractorColumn {
    /// Returns the values as a column of a table. A vector has `size` elements, which are 0 where fewer were measured.
    fileprivate func tableValues(_ context: borrowing SExtractorContext, size: Int) -> CatalogueTable.Values {
        let components = values(context)
        let count = context.sources.count
        guard size > 1 else {
            let values = components.first ?? []
            return switch kind {
            case .int16: .int16(values.map { Int16(clamping: Int(exactly: $0.rounded()) ?? 0) })
            case .int32: .int32(values.map { Int32(clamping: Int(exactly: $0.rounded()) ?? 0) })
            case .float: .float(values.map { Float($0) })
            case .double: .double(values)
            }
        }
        if kind == .double {
            return .vector(
                (0..<count).flatMap { row in
                    (0..<size).map { $0 < components.count ? components[$0][row] : 0 }
                }, length: size)
        }
        var elements: [Float] = []
        elements.reserveCapacity(count * size)
        for index in 0..<count {
            for place in 0..<size { elements.append(place < components.count ? Float(components[place][index]) : 0) }
        }
        return .array(elements, shape: [size])
    }
}

extension SExtractorContext {
    /// Returns the entries that SExtractor adds to the header of the image in LDAC catalogues.
    fileprivate borrowing func fieldEntries(
        of image: ImageSummary, background: Float, noise: Float, software: String
    ) -> [HeaderEntry] {
        let name = (try? ImageLocation(image.name).path) ?? image.name
        let threshold = Double(noise) * parameters.threshold
        return [
            HeaderEntry("FITSFILE", .text((name as NSString).lastPathComponent), comment: "Scanned image"),
            HeaderEntry("FITSEXT", .integer(extensionNumber), comment: "Number of the image in its file"),
            HeaderEntry("SEXVERS", .text(software), comment: "Extraction software"),
            HeaderEntry("SEXBKGND", .real(Double(background)), comment: "Median background"),
            HeaderEntry("SEXBKDEV", .real(Double(noise)), comment: "Median noise"),
            HeaderEntry("SEXTHLD", .real(threshold), comment: "Detection threshold"),
            HeaderEntry("SEXNFIN", .integer(selectedSources?.count ?? sources.count), comment: "Number of sources"),
            HeaderEntry("SEXPXSCL", .real(pixelScale), comment: "[arcsec] Pixel scale"),
            HeaderEntry("SEXSFWHM", .real(settings.seeing), comment: "[arcsec] Width of stars"),
            HeaderEntry("SEXGAIN", .real(parameters.gain), comment: "[e-/unit] Gain"),
            HeaderEntry("SEXSATLV", .real(saturation), comment: "Level of saturation"),
            HeaderEntry("SEXMGZPT", .real(settings.zeroPoint), comment: "Magnitude of a flux of 1"),
        ]
    }
}
