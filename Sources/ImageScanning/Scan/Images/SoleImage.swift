import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyScan

/// The image of a job of one. It is opened before the job begins: its name may be that of standard output, its bands fit
/// the slots at hand, and its journal has the results of an earlier run with other outputs.
package struct SoleImage: Sendable {
    /// Where it is in its file.
    let image: ImageExtension
    let survey: FITSSurvey
    let reader: ImageReader
    let parameters: ScanParameters
    let plan: BandPlan
    let identity: JobIdentity
    /// When the scan began: before it was opened.
    let start: ContinuousClock.Instant
    /// Records its scan.
    let recorder = ScanRecorder()

    /// Whether its scan is a single task.
    var isOneTask: Bool { plan.count == 1 }
}

extension ScanCommand {
    /// The file of a job of one image of this machine, and the image as far as it can be read.
    struct SoleFile {
        var file: InputList.File
        var survey = FITSSurvey()
        var image: ImageExtension?
        /// Why the image is left out; nil if it is scanned.
        var leftOut: LeftOut?
    }

    /// The file of the only image; nil if there is more than one image, or may be, if it lies on a node, and for options
    /// whose outputs are named by file or image.
    func soleFile(of list: InputList) throws -> SoleFile? {
        let names = options.outputs + options.checkImages.map(\.name) + options.page.paths
        guard let file = list.files.first, file.node == nil, !list.isOpenEnded, !options.images.skipsExisting,
            options.images.merged == nil, options.images.planes == .colours, options.detectionImage == nil,
            options.page.folder == nil, try !names.contains(where: { try OutputTemplate($0).isPerImage })
        else { return nil }
        // An error is left to the reader of the image, which says more.
        guard let (survey, images) = try? survey(of: file) else { return SoleFile(file: file) }
        let isOnly = file.selector == nil ? survey.images.count == 1 : images.count == 1
        guard isOnly, images[0].plane == nil || file.selector?.plane != nil else { return nil }
        var chosen = ChosenImages(survey, try scanned(images, of: file))
        select(&chosen, of: file)
        return SoleFile(file: file, survey: survey, image: chosen.images.first, leftOut: chosen.leftOut)
    }

    /// Opens the only image.
    /// - Throws: ``ImageError``, `UsageError`, ``CommandError``, also if the image is left out.
    func open(_ sole: SoleFile) throws -> SoleImage {
        if let leftOut = sole.leftOut { throw CommandError(.input, "nothing to scan: \(leftOut.line)") }
        let start = ContinuousClock.now
        let detection = options.detection
        let reader = try ImageReader(
            image: options.image, mask: detection.mask, weights: detection.weight, slots: options.cluster.slotsHere,
            .init(
                head: try head(of: options.image, number: 1),
                calibration: calibration(of: sole.image, in: sole.survey, isSelected: sole.file.selector != nil)))
        let (summary, parameters) = (reader.summary, try parameters(for: reader.summary))
        return try failing(.input, about: options.image) {
            SoleImage(
                image: sole.image ?? ImageExtension(number: summary.hdu, name: nil, plane: summary.plane),
                survey: sole.survey, reader: reader, parameters: parameters,
                plan: try BandPlan(
                    width: summary.width, height: summary.height, parameters: parameters,
                    requestedRows: options.bandRows, slots: max(1, options.cluster.slotsHere)),
                identity: try JobIdentity(
                    reader: reader, parameters: parameters, bandRows: options.bandRows,
                    settings: try options.calibration?.settings() ?? [:], software: Software.name),
                start: start)
        }
    }
}

/// The state that a job of one image has before the first node joins.
package struct SoleScan: Sendable {
    let image: SoleImage
    /// How long the checksums may wait for the scan: not at all with a journal, which needs them before the first result.
    let patience: Duration
    /// The checksums, unless a node may compute them.
    let checksums: Task<InputChecksums, any Error>?
}

extension ScanCommand {
    /// Begins what the image of a job of one needs no node for. `journal`: that of the job, nil if it keeps none.
    func begin(_ sole: SoleImage, _ journal: FilesJournal?, _ events: ScanEvents) -> SoleScan {
        for warning in warnings(of: sole.reader.summary) { events.warn(StyledText(warning)) }
        journal?.sole?.checkInputs { [reader = sole.reader] in try reader.requireUnchanged() }
        journal?.sole?.prepare()
        let patience = journal == nil ? Duration.seconds(1) : .zero
        let checksums =
            options.cluster.slotsHere == 0
            ? nil : Task { [reader = sole.reader] in try await reader.checksums(patience: patience) }
        return SoleScan(image: sole, patience: patience, checksums: checksums)
    }
}
