import CommandLineKit
import Foundation
import ScanBasics
package import SkyCatalogue
package import SkyFITS

/// Where the catalogues of the files of a job go.
package struct OutputPlan: Sendable {
    let templates: [OutputTemplate]
    /// Names that exist and may be replaced.
    private let overwrite: Bool
    /// Nil: by the ending of the name.
    private let format: CatalogueFormat?

    /// The outputs of `files`.
    /// - Throws: `UsageError` if two files would have one catalogue, if a catalogue would go to standard output, or for a
    ///   format that does not exist.
    package init(
        _ names: [String], files: [InputList.File], overwrite: Bool, format: CatalogueFormat? = nil,
        flag: String = "--output"
    ) throws {
        if names.contains("-") {
            throw UsageError(
                "several images need names for their catalogues: -o FOLDER/, or for instance -o 'cats/{stem}.csv'")
        }
        templates = try names.map { name throws(UsageError) in try OutputTemplate(name, of: flag) }
        (self.overwrite, self.format) = (overwrite, format)
        if files.count > 1, let template = templates.first(where: { !$0.isPerFile }) {
            throw UsageError(
                "\(flag): \(template.text) is one name for \(files.count) files; use a folder, as in -o cats/, or {stem}"
            )
        }
        var owners: [String: InputList.File] = [:]
        for file in files {
            for template in templates {
                let name = template.name(file: file.path)
                do throws(OutputError) { if format == nil { _ = try CatalogueOutput(path: name) } } catch {
                    throw UsageError("--output: \(error)")
                }
                if let other = owners.updateValue(file, forKey: name), other.path != file.path || !template.isPerImage {
                    throw UsageError(
                        "\(flag): \(other.name) and \(file.name) would both be written to \(name);"
                            + " add {dir} or {ext} to the name, or scan them apart")
                }
            }
        }
    }

    /// Refuses outputs that do not record which image and which parameters they are of.
    func requireFITS() throws(UsageError) {
        for template in templates
        where template.isPerImage || CatalogueFormat(path: template.name(file: "image.fits")) != .fits {
            throw UsageError(
                "--skip-existing needs FITS catalogues, one per file, whose headers say what they are of; "
                    + "\(template.text) is none")
        }
    }

    /// Makes the folders of the catalogues of `files`, and checks that none of these exists, except those with absolute
    /// names in `replaceable`. Names that depend on an image are checked when they are written.
    /// - Throws: ``OutputError``.
    func prepare(
        _ files: [InputList.File], checksExistence: Bool = true, replacing replaceable: Set<String> = []
    ) throws {
        var samples: [String: String] = [:]
        for file in files {
            for template in templates where !template.isPerImage {
                let name = template.name(file: file.path)
                let replaces = overwrite || replaceable.contains(ScanCommand.absolute(name))
                if checksExistence, !replaces, ReadableFiles.current.exists(name) {
                    throw OutputError(.exists, "\(name): exists already; add --overwrite to replace it")
                }
                samples[(name as NSString).deletingLastPathComponent] = name
            }
        }
        // One file of each folder shows whether it can be written to.
        for name in samples.values.sorted() {
            try OutputTemplate.makeFolder(of: name)
            try AtomicFile.check(path: name, overwrite: true)
        }
    }

    /// Writes the catalogues of a file.
    /// - Parameters:
    ///   - tables: those of its images, in the order of their HDUs.
    ///   - file: the file.
    ///   - replaceable: absolute names of files that an earlier run of the job wrote.
    /// - Returns: the names of the files.
    /// - Throws: ``OutputError``, `CancellationError`.
    package func write(
        _ tables: [CatalogueTable], of file: InputList.File, replacing replaceable: Set<String> = []
    ) throws -> [String] {
        var names: [String] = []
        for template in templates {
            for (name, part) in parts(tables, of: file, template) {
                let replaces = overwrite || replaceable.contains(ScanCommand.absolute(name))
                let output =
                    try format.map { CatalogueOutput(path: name, format: $0, overwrite: replaces) }
                    ?? CatalogueOutput(path: name, overwrite: replaces)
                try CatalogueOutput.write(part, to: [output])
                names.append(name)
            }
        }
        return names
    }

    /// The names of the catalogues of a file.
    package func names(_ tables: [CatalogueTable], of file: InputList.File) -> [String] {
        templates.flatMap { parts(tables, of: file, $0).map(\.0) }
    }

    /// The files of a template, with the tables in each. Regions of several images are in several files, since DS9 reads
    /// a file for one image.
    private func parts(
        _ tables: [CatalogueTable], of file: InputList.File, _ template: OutputTemplate
    ) -> [(String, [CatalogueTable])] {
        // Readers of these tell images by the place of their tables.
        let format = format ?? CatalogueFormat(path: template.name(file: file.path))
        let hasPlaces = [.ldac, .objects].contains(format) && !template.isPerImage
        let tables = hasPlaces ? tables : tables.filter { !$0.isPlaceholder }
        return partNames(tables.map(\.image), of: file, template).map { name, index in
            (name, index.map { [tables[$0]] } ?? tables)
        }
    }

    /// The files of a template, each with the index of the image in it, nil if it has all of them.
    private func partNames(
        _ images: [ImageExtension?], of file: InputList.File, _ template: OutputTemplate
    ) -> [(String, Int?)] {
        let name = template.name(file: file.path)
        let isRegion = (format ?? CatalogueFormat(path: name)) == .reg
        guard template.isPerImage || isRegion && images.count > 1 else { return [(name, nil)] }
        return images.enumerated().map { index, image in
            guard template.isPerImage else {
                let path = name as NSString
                return ("\(path.deletingPathExtension).\(image?.label ?? "0").\(path.pathExtension)", index)
            }
            return (template.name(file: file.path, image: image), index)
        }
    }

    /// Whether images of one file may have outputs of their own.
    var mayBePerImage: Bool {
        templates.contains { $0.isPerImage || CatalogueFormat(path: $0.name(file: "image.fits")) == .reg }
    }

    /// The names of the outputs of a file that hold one of several images each, with that image.
    package func namesPerImage(
        _ images: [ImageExtension], of file: InputList.File
    ) -> [(String, ImageExtension)] {
        templates.flatMap { template in
            partNames(images, of: file, template).compactMap { name, index in
                index.map { (name, images[$0]) }
            }
        }
    }
}
