import CSkyfarm
import Foundation
internal import ScanBasics

/// Files that a coordinator asks for by the names that users give them.
extension DataFolders {
    /// The absolute path, without symbolic links, of the file that `path` names.
    /// - Throws: ``ImageError`` with `unreadable` for what is not below one of the folders, whether or not it exists, and
    ///   with `missing`.
    package func resolved(_ path: String) throws(ImageError) -> String {
        let real = realPath(path)
        guard path.hasPrefix("/"), isAllowed(real ?? path) else {
            throw ImageError(.unreadable, "\(path): is not below a folder of --data of the node")
        }
        guard let real else { throw ImageError(.missing, "\(path): no such file") }
        return real
    }

    /// The files that a pattern of the shell matches, in alphabetical order: those below the folders.
    /// - Throws: ``ImageError`` with `missing` if there is none.
    package func paths(matching pattern: String) throws(ImageError) -> [String] {
        let matches = pattern.hasPrefix("/") ? ShellPattern.paths(matching: pattern) : []
        let paths = matches.filter { (try? resolved($0)) != nil }
        if paths.isEmpty {
            throw ImageError(.missing, "\(pattern): no file below the folders of --data of the node matches")
        }
        return paths
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
            survey.faults = survey.faults.map { $0.replacingOccurrences(of: name, with: path) }
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw ImageError(.unreadable, "\(name): cannot be read") }
            return (survey, Int64(status.st_size), FileIdentity.modified(status))
        }
    }
}
