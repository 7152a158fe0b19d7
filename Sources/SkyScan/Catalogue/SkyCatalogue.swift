public import SkyCatalogue
public import SkyExtraction
import SkyFITS

extension SkyScanResult {
    /// Returns the catalogue as a table, with celestial coordinates if the header of the image defines them.
    ///
    /// - Parameters:
    ///   - image: size, header and names of the image.
    ///   - parameters: parameters of the scan.
    ///   - checksums: checksums of the image and its maps.
    ///   - software: name and version of the program.
    /// - Returns: A table with one row per source, or per given position. Its history lists missing sectors, and nodes
    ///   with a different arithmetic.
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

    /// One line for each node with a different arithmetic, sorted by name.
    private var differentLines: [String] {
        differentNodes.sorted { $0.key < $1.key }.map { name, node in
            let arithmetic = node.arithmetic.map { "\($0.fingerprint), \($0.libraries)" } ?? "not reported"
            return "OTHER ARITHMETIC node \(name): \(arithmetic), skyfarm \(node.software)"
        }
    }
}
