import CommandLineKit
import SkyFITS

/// Where all outputs of the files of a job go.
package struct OutputPlans: Sendable {
    package let catalogues: OutputPlan
    let checkImages: CheckImagePlan
    /// Tables of trails.
    let trails: OutputPlan
    /// Pages and pictures, a file for each image.
    let reports: OutputPlan
    let previews: OutputPlan
    /// The outputs that hold one of several images.
    private let claims = OutputClaims()

    /// The outputs of `files`. Those of a sole image may go to standard output.
    /// - Throws: `UsageError` if two files would have one output, or for a format that does not exist.
    package init(_ options: ScanCommand.Options, files: [InputList.File], isSole: Bool = false) throws {
        if !isSole, options.outputs.contains("-") {
            throw UsageError(
                "several images need names for their catalogues: -o FOLDER/, or for instance -o 'cats/{stem}.csv'"
                    + (options.page.folder == nil ? "" : "; so does a folder of pages"))
        }
        func plan(_ names: [String?], _ kind: OutputPlan.Kind, _ flag: String) throws -> OutputPlan {
            try OutputPlan(
                names.compactMap(\.self), files: files, overwrite: options.overwrite, kind, flag: flag,
                makesFolders: !isSole)
        }
        catalogues = try plan(options.outputs, .catalogues(options.columns?.format), "--output")
        checkImages = CheckImagePlan(
            options.checkImages.map(\.image),
            names: try plan(options.checkImages.map(\.name), .images, "--check-image"))
        trails = try plan(options.trails?.tables ?? [], .catalogues(nil), "--trails")
        reports = try plan([options.page.report], .pages, "--report")
        previews = try plan([options.page.preview], .pages, "--preview")
        // No check image may have the name of a catalogue.
        _ = try plan(
            options.outputs + options.checkImages.map(\.name) + (options.trails?.tables ?? []), .images, "--output")
    }

    private var all: [OutputPlan] { [catalogues, checkImages.names, trails, reports, previews] }

    var templates: [OutputTemplate] { all.flatMap(\.templates) }

    /// The names of the outputs of a file, as far as they do not depend on its images: catalogues first, `-` for standard
    /// output.
    func names(of file: InputList.File) -> [String] { all.flatMap { $0.names(of: file) } }

    /// Takes the names of the outputs of a file's images.
    /// - Throws: `UsageError` if two images would have one output.
    func claim(_ images: [ImageExtension], of file: InputList.File) throws(UsageError) {
        try claims.claim(images, of: file, all)
    }

    /// Whether images of one file may have outputs of their own.
    var mayBePerImage: Bool { all.contains(where: \.mayBePerImage) }

    /// Makes the folders, and checks that no output exists that may not be replaced; see ``OutputPlan/prepare``.
    /// - Throws: ``OutputError``.
    func prepare(
        _ files: [InputList.File], checksCatalogues: Bool = true, checksOthers: Bool = true,
        replacing replaceable: Set<String> = []
    ) throws {
        try catalogues.prepare(files, checksExistence: checksCatalogues, replacing: replaceable)
        for plan in [checkImages.names, trails, reports, previews] {
            try plan.prepare(files, checksExistence: checksOthers, replacing: replaceable)
        }
    }

    /// The pages and pictures of an image of a file.
    func pageNames(of image: ImageExtension, among images: [ImageExtension], of file: InputList.File) -> [String] {
        [reports, previews].flatMap { $0.names(of: image, among: images, of: file) }
    }
}
