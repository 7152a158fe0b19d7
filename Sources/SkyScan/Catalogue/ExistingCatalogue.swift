import SkyCatalogue
public import SkyExtraction

/// A FITS catalogue that exists, and what its headers say about the scan that made it.
public struct ExistingCatalogue {
    /// An image, and what a scan of it would depend on.
    public struct Scan {
        package let image: ImageSummary
        package let parameters: ScanParameters
        package let checksums: InputChecksums

        /// A scan of `image`.
        public init(image: ImageSummary, parameters: ScanParameters, checksums: InputChecksums) {
            (self.image, self.parameters, self.checksums) = (image, parameters, checksums)
        }
    }

    private let headers: FITSTableHeaders

    /// The catalogue at `path`.
    /// - Throws: ``ImageError`` if it is not a FITS file.
    public init(path: String) throws { headers = try FITSTableHeaders(of: path) }

    /// Whether it is the complete catalogue of these scans, by this version of the program: their pixels, maps,
    /// parameters and arithmetic. Names and times do not matter.
    public func holds(_ scans: [Scan], software: String) -> Bool {
        headers.count == scans.count
            && scans.indices.allSatisfy { index in
                let scan = scans[index]
                let entries = CatalogueHeader.identity(
                    image: scan.image, parameters: scan.parameters, checksums: scan.checksums, software: software)
                return headers.holds(entries, table: index)
            }
    }
}
