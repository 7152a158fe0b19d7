import CommandLineKit
import Foundation
import ScanBasics
package import SkyCatalogue
package import SkyFITS

/// Where the outputs of one kind of the files of a job go.
package struct OutputPlan: Sendable {
    /// What the outputs are.
    package enum Kind: Sendable {
        /// Catalogues, in this format or, if it is nil, in that of the name's ending.
        case catalogues(CatalogueFormat?)
        /// FITS files with an extension for each image of a file.
        case images
        /// Pages or pictures, each of one image.
        case pages
    }

    let templates: [OutputTemplate]
    /// Names that exist and may be replaced.
    private let overwrite: Bool
    private let kind: Kind
    private let makesFolders: Bool

    /// The outputs of `files`. `makesFolders`: also those of names without fields.
    /// - Throws: `UsageError` if two files would have one output, or for a format that does not exist.
    package init(
        _ names: [String], files: [InputList.File], overwrite: Bool, _ kind: Kind = .catalogues(nil),
        flag: String = "--output", makesFolders: Bool = true
    ) throws {
        templates = try names.map { name throws(UsageError) in try OutputTemplate(name, of: flag) }
        (self.overwrite, self.kind, self.makesFolders) = (overwrite, kind, makesFolders)
        if files.count > 1, let template = templates.first(where: { !$0.isPerFile }) {
            let advice: String
            if case .pages = kind {
                advice = "use {stem}, as in \(flag) 'pages/{stem}.\((template.text as NSString).pathExtension)'"
            } else {
                advice = "use a folder, as in \(flag == "--output" ? "-o" : flag) folder/, or {stem}"
            }
            throw UsageError(
                "\(flag): \(template.text) is one name for \(files.count) files; \(advice)")
        }
        var owners: [String: InputList.File] = [:]
        for file in files {
            for template in templates {
                let name = template.name(file: file.path)
                do throws(OutputError) {
                    if case .catalogues(nil) = kind { _ = try CatalogueOutput(path: name) }
                } catch {
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
        // A file of each folder, and whether the folder is made.
        var samples: [String: (name: String, makesFolder: Bool)] = [:]
        for file in files {
            for template in templates where !template.isPerImage && !template.isStandardOutput {
                let name = template.name(file: file.path)
                let replaces = overwrite || replaceable.contains(ScanCommand.absolute(name))
                if checksExistence, !replaces, ReadableFiles.current.exists(name), !ProcessFiles.isOwn(name) {
                    throw OutputError(.exists, "\(name): exists already; name another file, or add --overwrite")
                }
                let key = files.count == 1 ? name : (name as NSString).deletingLastPathComponent
                samples[key] = (name, makesFolders || template.hasFields)
            }
        }
        // One file of each folder shows whether it can be written to.
        for (name, makesFolder) in samples.values.sorted(by: { $0.name < $1.name }) {
            if makesFolder { try OutputTemplate.makeFolder(of: name) }
            try AtomicFile.check(path: name, overwrite: true)
        }
    }

    /// Files that are open at once.
    private static let groupSize = 100

    /// Writes the catalogues of a file: they get their names once all of them are complete, or a hundred of more.
    /// - Parameters:
    ///   - tables: those of its images, in the order of their HDUs.
    ///   - file: the file.
    ///   - replaceable: absolute names of files that an earlier run of the job wrote.
    ///   - syncsFolders: as in `AtomicFile.commit(syncsFolder:)`.
    /// - Returns: the files; `-` for standard output.
    /// - Throws: ``OutputError``, `CancellationError`.
    package func write(
        _ tables: [CatalogueTable], of file: InputList.File, replacing replaceable: Set<String> = [],
        syncsFolders: Bool = true
    ) throws -> [CatalogueOutput] {
        let named = templates.flatMap { parts(tables, of: file, $0) }
        let outputs = try named.map { name, part in
            let replaces = overwrite || replaceable.contains(ScanCommand.absolute(name))
            return (try output(name, overwrite: replaces), part)
        }
        for start in stride(from: 0, to: outputs.count, by: Self.groupSize) {
            let group = outputs[start..<min(start + Self.groupSize, outputs.count)]
            try CatalogueOutput.write(Array(group), syncsFolders: syncsFolders)
        }
        return outputs.map(\.0)
    }

    private func output(_ name: String, overwrite: Bool) throws(OutputError) -> CatalogueOutput {
        if case .catalogues(let format?) = kind {
            return CatalogueOutput(path: name, format: format, overwrite: overwrite)
        }
        return try CatalogueOutput(path: name, overwrite: overwrite)
    }

    private func format(of name: String) -> CatalogueFormat? {
        switch kind {
        case .catalogues(let format): format ?? CatalogueFormat(path: name)
        case .images: .fits
        case .pages: nil
        }
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
        let format = format(of: template.name(file: file.path))
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
        guard template.isPerImage || isOfOneImage(name) && images.count > 1 else { return [(name, nil)] }
        return images.enumerated().map { index, image in
            guard template.isPerImage else {
                let path = name as NSString
                return ("\(path.deletingPathExtension).\(image?.label ?? "0").\(path.pathExtension)", index)
            }
            return (template.name(file: file.path, image: image), index)
        }
    }

    /// Whether a file of this name can hold one image only.
    private func isOfOneImage(_ name: String) -> Bool {
        if case .pages = kind { return true }
        return format(of: name) == .reg
    }

    /// Whether images of one file may have outputs of their own.
    var mayBePerImage: Bool {
        templates.contains { $0.isPerImage || format(of: $0.name(file: "image.fits")) == .reg }
    }

    /// The names for a file, as far as they do not depend on its images.
    func names(of file: InputList.File) -> [String] {
        templates.filter { !$0.isPerImage }.map { $0.name(file: file.path) }
    }

    /// The names of the outputs that show one of the images of a file.
    func names(of image: ImageExtension, among images: [ImageExtension], of file: InputList.File) -> [String] {
        templates.flatMap { template in
            partNames(images, of: file, template).filter { $0.1.map { images[$0] == image } ?? true }.map(\.0)
        }
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
