import Foundation
import ScanBasics

/// Files that a coordinator asks for by the names that users give them.
extension DataFolders {
    /// The absolute path, without symbolic links, of the file that `path` names: at this path, or else below one of the
    /// folders, where the slash at its beginning stands for the folder.
    /// - Throws: ``ImageError`` with `unreadable` for what is not below one of the folders, whether or not it exists, and
    ///   for links, with `missing` for what is not there.
    package func resolved(_ path: String) throws(ImageError) -> String {
        let place = folders.place(path)
        let found = Result { () throws(ConfinedPath.Refusal) in try place?.look() }
        if let place, let status = try? found.get(), status.kind != .link { return place.path }
        if path.hasPrefix("/") {
            for place in folders.places(below: path) where (try? place.look())?.kind == .regular { return place.path }
        }
        guard place != nil else {
            throw ImageError(.unreadable, "\(path): is not below a folder of --data of the node")
        }
        if case .success(nil) = found { throw ImageError(.missing, "\(path): no such file") }
        throw ImageError(.unreadable, "\(path): cannot be read: links are not followed below --data")
    }

    /// The files that a pattern of the shell matches, in alphabetical order: those below the folders, by the names that the
    /// pattern gives the folders, or else those that match it where the slash at its beginning stands for one of the folders.
    /// - Throws: ``ImageError`` with `missing` if there is none, with `tooLarge` if too many would have to be looked at.
    package func paths(
        matching pattern: String, isCancelled: @escaping () -> Bool = { false }
    ) throws(ImageError) -> [String] {
        var search = ConfinedSearch(isCancelled: isCancelled)
        var paths = folders.paths(matching: pattern, &search)
        if paths.isEmpty { paths = folders.paths(matchingBelow: pattern, &search) }
        if search.isExhausted {
            throw ImageError(.tooLarge, "\(pattern): too many files would have to be looked at; name their folder")
        }
        if paths.isEmpty {
            throw ImageError(.missing, "\(pattern): no file below the folders of --data of the node matches")
        }
        return paths
    }

    /// The identity of the first image of the file at an absolute path without symbolic links; nil if it cannot be read.
    package func identity(at path: String) -> FileIdentity? {
        try? withFile(at: path) { (file, name) throws(ImageError) in
            let image = try FITSImage(ImageLocation(path: name, selector: .firstImage), keeping: file)
            guard let identity = try? image.stored.opened().identity(of: image) else {
                throw ImageError(.unreadable, "\(path): cannot be read")
            }
            return identity
        }
    }

    /// The images of the file at an absolute path without symbolic links, and the file's size and time of change.
    ///
    /// With a selector, only the HDU that it selects.
    /// - Throws: ``ImageError``.
    package func survey(
        at path: String, selector: ImageLocation.Selector?
    ) throws(ImageError) -> (survey: FITSSurvey, size: Int64, modified: Int64) {
        try withFile(at: path) { (file, name) throws(ImageError) in
            var survey = try FITSSurvey(of: name)
            if let selector {
                let image = try FITSImage(ImageLocation(path: name, selector: selector), keeping: file)
                survey.images.removeAll { $0.number != image.hduNumber }
            }
            // References to files name no planes.
            survey.images.removeAll { $0.plane != nil }
            if survey.images.isEmpty {
                throw ImageError(.noImage, "\(path): holds planes of a cube; copy the file to scan them")
            }
            survey.faults = survey.faults.map { $0.replacingOccurrences(of: name, with: path) }
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw ImageError(.unreadable, "\(name): cannot be read") }
            return (survey, Int64(status.st_size), FileStatus.modified(status))
        }
    }
}
