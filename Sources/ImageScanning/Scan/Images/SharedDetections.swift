package import CommandLineKit
import Console
import ScanCluster
package import SkyExtraction
import SkyScan

extension ScanCommand.Options {
    package static let detect = Option.optional(
        "detect", .file(.reads, "IMAGE"),
        help:
            "Find the sources in another image of the same size, once, and measure them in each IMAGE; needs --columns")

    static let detectionWeight = Option.optional(
        "detect-weight", .file(.reads),
        help: "Weight map of the image of --detect, which --weight is not for; samples as those of --weight")

    /// Where the noise of the image of `--detect` comes from.
    package struct DetectionMap: Equatable, Sendable {
        package var noise = ScanParameters.Noise.global
        package var weight: String?
        package var weightMap = ScanParameters.WeightMap.weight
        package var rescalesWeights = true

        package init() {}

        /// Nil if there is no map: the noise then is computed as that of the measured images.
        init?(_ arguments: Arguments, _ detection: Detection) throws(UsageError) {
            weight = try arguments[detectionWeight]
            if weight == nil, detection.weight == nil { return nil }
            noise = weight == nil ? detection.noiseWithoutWeight : .weights
            weightMap = detection.parameters.weightMap
            rescalesWeights = detection.parameters.rescalesWeights
        }
    }

    /// Refuses what cannot be combined with `--detect`.
    func validateDetection() throws(UsageError) {
        guard detectionImage != nil else {
            if detectionMap?.weight != nil { throw UsageError("--detect-weight belongs to --detect: give that, too") }
            return
        }
        if columns == nil { throw UsageError("--detect measures SExtractor's columns: add --columns FILE|LIST") }
        if outputs.contains("-") {
            throw UsageError("--detect writes catalogues to files: name one with -o FILE, or CATALOG_NAME")
        }
    }
}

/// The sources of the images of one file, each detected once for all images in which they are measured.
final class SharedDetections: Sendable {
    /// The sources of an image, and the scan that found them.
    package struct Image: Sendable {
        var detections: Detections
        var scan: CheckedScan
    }

    let file: InputList.File
    private let tasks = Locked<[Int: Task<Image, any Error>]>([:])

    /// - Throws: what is wrong with the name; `UsageError` if it stands for several files.
    init?(_ name: String?) throws {
        guard let name else { return nil }
        let list = try InputList([name], standardInput: { "" })
        guard let file = list.files.first, list.files.count == 1 else {
            throw UsageError("--detect: \(name): name one file")
        }
        self.file = file
    }

    /// The sources of the image at `place`, detected by the first caller.
    /// - Throws: what `detect` throws, `CancellationError`.
    func image(_ place: Int, _ detect: @escaping @Sendable () async throws -> Image) async throws -> Image {
        let task = tasks.withLock { tasks in
            let task = tasks[place] ?? Task { try await detect() }
            tasks[place] = task
            return task
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ScanJob {
    /// The sources that are measured in the image at `place` of each file; nil without `--detect`.
    func detections(_ place: Int) async throws -> SharedDetections.Image? {
        guard let shared = results.detections else { return nil }
        return try await shared.image(place) { try await detect(place, in: shared.file) }
    }

    private func detect(_ place: Int, in file: InputList.File) async throws -> SharedDetections.Image {
        var stamps: [FileStamp] = []
        let chosen = try await choose(file, &stamps, isMeasured: false)
        let (survey, images) = (chosen.survey, chosen.images)
        guard images.indices.contains(place - 1) else {
            throw CommandError(
                .input,
                "\(file.name): has \(HumanFormat.count(images.count, "image")), the image that is measured is "
                    + "number \(place) of its file; name files with equal extensions")
        }
        let reader = try await reader(images[place - 1], of: file, survey, place: place, isDetection: true)
        let parameters = try command.detectionParameters(for: reader.summary)
        let location = reader.summary.name
        let scan = try SkyScan(
            reader: reader, parameters: parameters, bandRows: options.bandRows, coordinator: node.coordinator,
            job: UInt64.random(in: .min ... .max), observer: { events.handle($0, of: location) },
            differentNodes: { node.connections.differentNodes })
        events.display.handle(.began(pixels: 0, work: scan.expectedCost))
        let result = try await command.unchanged(reader, node) { try await scan.run() }
        guard let detections = Detections(result, of: reader.summary) else {
            throw CommandError(.failure, "\(location): the scan returned no pixels of its sources")
        }
        return .init(
            detections: detections, scan: .init(result: result, reader: reader, parameters: parameters))
    }
}

extension ScanCommand {
    /// The parameters of an image in which sources are only detected. Of their measurements the Kron radii are used, whose
    /// last bits depend on what the cut-outs of the sources hold: so these hold the same.
    func detectionParameters(for image: ImageSummary) throws -> ScanParameters {
        var parameters = try parameters(for: image, isFitted: false)
        parameters.measurements?.isOfOtherImage = false
        parameters.measurements?.isWindowed = false
        parameters.measurements?.scalesGain = false
        parameters.returnsDetections = true
        if let map = options.detectionMap {
            (parameters.noise, parameters.weightMap) = (map.noise, map.weightMap)
            parameters.rescalesWeights = map.rescalesWeights
        }
        return parameters
    }
}
