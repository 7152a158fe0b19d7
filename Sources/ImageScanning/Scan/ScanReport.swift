import Console
import Foundation
package import SkyReport
package import SkyScan

/// A finished scan as JSON; `v` is the version of the format.
package struct ScanReport: Encodable {
    package var v = 1
    package var image: String
    package var width: Int
    package var height: Int
    /// Number of the scanned HDU; 0 is the primary one.
    package var hdu: Int
    /// Number of 2-D images in the file, of which one was scanned.
    package var images: Int
    package var sources: Int
    var removedByCleaning: Int
    package var background: Double
    package var noise: Double
    package var maskedPixels: Int
    /// Electrons per unit of the samples, by which errors include photon noise; omitted if none.
    package var gain: Double?
    package var bands: Int
    package var seconds: Double
    package var tasks: Tasks
    package var systems: [Share]
    package var steps: [Share]
    package var missing: [Missing]
    /// Why the catalogue has no ra and dec although the header has a coordinate system.
    var coordinatesProblem: String?
    /// What standard error warns of about the files.
    package var warnings: [String]
    package var outputs: [String]
    /// Compared with one system alone; omitted if unknown.
    package var speedUp: SpeedUp?
    /// What took at least half of the slots' time; omitted if nothing did, or if it is unknown.
    package var bound: ScanAccount.Bound?
    /// Nodes that were connected and did nothing; omitted if nodes did tasks, or if there were none.
    package var unusedNodes: Int?
    /// How nodes got the pixels; omitted if none got any.
    package var pixelTraffic: PixelTraffic?
    /// Who has loaded the catalogue; omitted without --samp.
    var samp: ScanCommand.Delivery?

    package struct Tasks: Encodable {
        package var done: Int
        /// Tasks whose results come from the journal.
        package var resumed: Int
        package var retries: Int
        package var hedges: Int
        package var missing: Int
    }

    package struct Share: Encodable {
        package var name: String
        package var tasks: Int
        package var seconds: Double
    }

    package struct Missing: Encodable {
        var step: String
        var columns: [Int]
        var rows: [Int]
        var reason: String
        /// Last lines of the node's log, each prefixed with the node's name.
        var log: [String]?
    }

    /// The number of sources of an image of `pixels` in words.
    package static func found(_ result: SkyScanResult, pixels: Int) -> String {
        if result.forced != nil, result.missing.isEmpty { return HumanFormat.count(result.sources.count, "position") }
        return found(
            sources: result.sources.count, missing: result.missing.count,
            sectors: result.tally.tasks + result.missing.count, pixels: pixels, masked: result.maskedPixels)
    }

    /// The number of sources in words; "no sources" only if every sector was scanned. It is explained if masks and
    /// pixels that are not numbers leave less than 5 % of the image.
    package static func found(sources: Int, missing: Int, sectors: Int, pixels: Int, masked: Int) -> String {
        if missing > 0 { return "\(HumanFormat.count(sources, "source")); \(missing) of \(sectors) sectors missing" }
        guard sources == 0 else { return HumanFormat.count(sources, "source") }
        let usable = pixels - masked
        return usable * 20 < pixels
            ? "no sources found (only \(usable) of \(pixels) pixels unmasked)" : "no sources found"
    }

    init(
        _ result: SkyScanResult, _ image: ImageSummary, gain: Double, outputs: [String], _ account: ScanAccount,
        traffic: PixelTraffic?, delivery: ScanCommand.Delivery? = nil, seconds: Double
    ) {
        (speedUp, bound, unusedNodes) = (account.speedUp, account.bound, account.unusedNodes)
        pixelTraffic = traffic
        samp = delivery
        self.image = image.name
        width = image.width
        height = image.height
        (hdu, images, warnings) = (image.hdu, image.imageCount, image.warnings)
        self.gain = gain > 0 ? gain : nil
        sources = result.sources.count
        removedByCleaning = result.removed
        background = Double(result.globalLevel)
        noise = Double(result.globalNoise)
        maskedPixels = result.maskedPixels
        bands = result.bands
        self.seconds = seconds
        let tally = result.tally
        tasks = Tasks(
            done: tally.tasks, resumed: tally.resumed, retries: tally.retries, hedges: tally.hedges,
            missing: tally.missing.count)
        systems = tally.systems.sorted { $0.key < $1.key }.map { name, share in
            Share(name: name, tasks: share.tasks, seconds: share.seconds)
        }
        steps = ScanStep.allCases.compactMap { step in
            tally.steps[step].map { Share(name: step.rawValue, tasks: $0.tasks, seconds: $0.seconds) }
        }
        missing = tally.missing.map { sector in
            Missing(
                step: sector.step.rawValue, columns: [sector.rect.x.lowerBound, sector.rect.x.upperBound - 1],
                rows: [sector.rect.y.lowerBound, sector.rect.y.upperBound - 1], reason: sector.reason,
                log: sector.log.isEmpty ? nil : sector.log)
        }
        coordinatesProblem = image.coordinatesProblem
        self.outputs = outputs
    }
}
