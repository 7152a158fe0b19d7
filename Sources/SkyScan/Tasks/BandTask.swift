package import ScanCluster
package import SkyExtraction
internal import SkyFITS

/// Pass 2 over one band: detection and photometry of its sources.
package struct BandTask: WindowTask {
    package static let scanner = "sky.band/6"

    package let scan: BandScan
    package let window: WindowPixels

    package var id: Int { scan.band }
    package var cost: Double { Double(window.rect.area) }

    package func scan(_ context: ScanContext) throws -> WindowResult {
        try scan.plan.check(band: id, window: window.rect)
        return try window.withView(for: context, scan.scan)
    }

    package func validate(_ output: WindowResult) throws {
        try output.validate(in: scan.plan.image)
        let core = scan.plan[id].core.y
        guard output.batch.keyRow.allSatisfy({ core.contains(Int($0)) }) else {
            throw ScanSetupError("the response holds sources of other bands")
        }
    }

    // The identity is part of the scan, so only these two are coded.
    private enum CodingKeys: String, CodingKey { case scan, window }
}
