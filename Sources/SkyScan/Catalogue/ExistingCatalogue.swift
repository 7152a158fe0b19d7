import SkyCatalogue
public import SkyExtraction

/// An existing FITS catalogue, with the information of its headers about the scan that created it.
public struct ExistingCatalogue {
    /// An image, and the settings on which a scan of it depends.
    public struct Scan {
        package let image: ImageSummary
        package let parameters: ScanParameters
        package let checksums: InputChecksums

        /// Creates the description of a scan of `image`.
        public init(image: ImageSummary, parameters: ScanParameters, checksums: InputChecksums) {
            (self.image, self.parameters, self.checksums) = (image, parameters, checksums)
        }
    }

    private let headers: FITSTableHeaders

    /// Reads the headers of the catalogue at `path`.
    /// - Throws: `ImageError` if the file is not a FITS file.
    public init(path: String) throws { headers = try FITSTableHeaders(of: path) }

    /// Returns whether this is the complete catalogue of these scans by this version of the program, that is, with the
    /// same pixels, maps, parameters and arithmetic. Names and times are not compared.
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
