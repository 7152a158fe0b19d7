import Foundation
import ScanBasics

/// Look-up of files that a coordinator requests by the names given by users.
extension DataFolders {
    /// Returns the absolute path, without symbolic links, of the file named `path`: the file at this path or, if there
    /// is none, the file below one of the folders, where the leading slash stands for the folder.
    /// - Throws: ``ImageError`` with `unreadable` for links and for paths outside the folders, whether or not they
    ///   exist; with `missing` if there is no file.
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

    /// Returns the files that match a shell pattern, in alphabetical order: those below the folders under the names
    /// that the pattern gives the folders or, if there are none, those that match with the leading slash standing for
    /// one of the folders.
    /// - Throws: ``ImageError`` with `missing` if there is none, with `tooLarge` if too many files would have to be
    ///   examined.
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

    /// Returns the identity of the first image in the file at an absolute path without symbolic links, or nil if it
    /// cannot be read.
    package func identity(at path: String) -> FileIdentity? {
        try? withFile(at: path) { (file, name) throws(ImageError) in
            let image = try FITSImage(ImageLocation(path: name, selector: .firstImage), keeping: file)
            guard let identity = try? image.stored.opened().identity(of: image) else {
                throw ImageError(.unreadable, "\(path): cannot be read")
            }
            return identity
        }
    }

    /// Returns the images of the file at an absolute path without symbolic links, and the file's size and modification
    /// time.
    ///
    /// With a selector, only the selected HDU is included.
    /// - Throws: ``ImageError`` if the file is outside the folders, cannot be read, or has only planes of cubes.
    package func survey(
        at path: String, selector: ImageLocation.Selector?
    ) throws(ImageError) -> (survey: FITSSurvey, size: Int64, modified: Int64) {
        try withFile(at: path) { (file, name) throws(ImageError) in
            var survey = try FITSSurvey(of: name)
            if let selector {
                let image = try FITSImage(ImageLocation(path: name, selector: selector), keeping: file)
                survey.images.removeAll { $0.number != image.hduNumber }
            }
            // References to files cannot name planes.
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
