/// The images of a FITS file, and the faults of the file that do not prevent reading one of them.
public struct FITSSurvey: Equatable, Sendable {
    /// All 2-D images of the file, in order.
    public var images: [ImageExtension] = []
    /// Faults of the file, one line each with the name of the file.
    public var faults: [String] = []
    /// The fault that the file is incomplete: it ends within a header or before the data announced by a header. Also in
    /// ``faults``.
    public var truncation: String?
    /// The stored headers of the primary HDU and of those with images, by their numbers; empty unless they were requested.
    package var headers: [Int: FITSHeader] = [:]
    /// Whether reading ended at a fault, which is the last one of ``faults``.
    package var isCutShort = false
    /// Positions of the HDUs; nil if the file has faults.
    package var layout: FITSLayout?

    package init() {}

    /// Reads the headers of all HDUs of the file at `path`.
    /// - Throws: ``ImageError`` if the file cannot be opened or has no 2-D image.
    public init(of path: String, planes: PlaneChoice = .colours) throws(ImageError) {
        try self.init(of: path, planes: planes, keepsHeaders: false)
    }

    /// Reads the headers of all HDUs of the file at `path`, and keeps them in `headers` if `keepsHeaders`.
    /// - Throws: ``ImageError`` if the file cannot be opened or has no 2-D image.
    package init(of path: String, planes: PlaneChoice, keepsHeaders: Bool) throws(ImageError) {
        let file = try FITSFile(path: path)
        let (survey, hdus) = FITSLibrary.run { file.survey(planes, keepsHeaders: keepsHeaders) }
        self = survey
        if images.isEmpty {
            // Frames, whose headers are kept, are not chosen by planes.
            let advice = HDU.advice(hdus, path: path, isFrame: keepsHeaders)
            let list = "\(path): holds no 2-D image; it has \(HDU.words(hdus))\(advice)"
            if !isCutShort, hdus.allSatisfy(\.isOtherData) { throw ImageError(.onlyOtherData, list) }
            throw ImageError(truncation == nil ? .noImage : .truncated, faults.first ?? list)
        }
    }

    /// Returns the reason why the file at `path` is incomplete, as while it is being written, or nil if it is complete
    /// or cannot be read for another reason.
    public static func incompleteness(of path: String) -> String? {
        do throws(ImageError) {
            return try FITSSurvey(of: path).truncation
        } catch {
            return [.truncated, .empty].contains(error.code) ? error.message : nil
        }
    }
}

extension FITSFile {
    /// Reads the headers of all HDUs, and leaves the file at the last one.
    package func survey(
        _ planes: PlaneChoice = .colours, keepsHeaders: Bool = false
    ) -> (survey: FITSSurvey, hdus: [HDU]) {
        var (survey, hdus, number, end) = (FITSSurvey(), [HDU](), 0, 0)
        do throws(ImageError) {
            while let hdu = try move(to: number) {
                for plane in hdu.planes(planes) {
                    survey.images.append(.init(number: number, name: hdu.name, version: hdu.version, plane: plane))
                }
                if keepsHeaders, number == 0 || survey.images.last?.number == number {
                    survey.headers[number] = storedHeader
                }
                hdus.append(hdu)
                (number, end) = (number + 1, hdu.end)
            }
            if end > byteCount {
                survey.faults.append("\(path): the last block lacks \(end - byteCount) bytes of padding")
            } else if beginsHeader(at: end) {
                throw unendedHeader(number)
            } else if end < byteCount {
                let count = hasTail ? "the" : "\(byteCount - end)"
                survey.faults.append("\(path): ignored \(count) bytes after HDU \(number - 1), which are not FITS")
            }
            survey.layout = FITSLayout(of: self, count: number)
        } catch {
            survey.faults.append(error.message)
            survey.isCutShort = true
            if error.code == .truncated { survey.truncation = error.message }
        }
        return (survey, hdus)
    }
}

extension FITSImage {
    /// Warnings about the file for the user, one line each; empty unless the file was surveyed.
    public var warnings: [String] {
        guard let survey else { return [] }
        var lines = survey.faults
        if location.selector == .firstImage, let next = survey.images.first(where: { $0.number != hduNumber }) {
            let name = extensionName.map { " (\(FITSMemoryFile.printable($0)))" } ?? ""
            lines.insert(
                "\(location): holds \(survey.images.count) images, of which only HDU \(hduNumber)\(name) is read; "
                    + "name the HDU of another to read it, as in '\(location.path)[\(next.number)]'", at: 0)
        }
        return lines
    }
}
