public import SkyCatalogue
public import SkyExtraction
import SkyFITS

extension SkyScanResult {
    /// The catalogue as a table, with celestial coordinates if the image's header defines them.
    ///
    /// - Parameters:
    ///   - image: size, header and names of the image.
    ///   - parameters: the parameters of the scan.
    ///   - checksums: those of the image and its maps.
    ///   - software: name and version of the program.
    /// - Returns: a table with one row per source, or per given position; its history lists missing sectors, and nodes that computed
    ///   differently.
    public func table(
        image: ImageSummary, parameters: ScanParameters, checksums: InputChecksums?, software: String
    ) -> CatalogueTable {
        let wcs = try? CelestialWCS(header: image.header)
        let coordinates = wcs.map { wcs in
            let (rightAscension, declination) = wcs.coordinates(x: sources.x, y: sources.y)
            return (rightAscension, declination, wcs.referenceSystem)
        }
        let unit = image.sampleUnit
        return CatalogueTable(
            columns: forced.map { forced in
                SourceColumns.columns(
                    of: forced, at: sources, unit: unit, parameters: parameters, coordinates: coordinates)
            } ?? SourceColumns.columns(of: sources, unit: unit, parameters: parameters, coordinates: coordinates),
            header: CatalogueHeader.entries(
                of: self, image: image, parameters: parameters, checksums: checksums, software: software),
            history: missing.map { sector in
                "MISSING \(sector.step.rawValue) columns \(sector.rect.x.lowerBound)-\(sector.rect.x.upperBound - 1) "
                    + "rows \(sector.rect.y.lowerBound)-\(sector.rect.y.upperBound - 1): \(sector.reason)"
            } + differentLines)
    }

    /// A line for each node that computed differently, by name.
    private var differentLines: [String] {
        differentNodes.sorted { $0.key < $1.key }.map { name, node in
            let arithmetic = node.arithmetic.map { "\($0.fingerprint), \($0.libraries)" } ?? "not reported"
            return "OTHER ARITHMETIC node \(name): \(arithmetic), skyfarm \(node.software)"
        }
    }
}
