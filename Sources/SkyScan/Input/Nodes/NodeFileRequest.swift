internal import ScanBasics
internal import ScanNetwork
internal import SkyFITS

/// A coordinator's question about the files that lie on a node. It is the origin of a reference whose part is
/// ``NodeFileTask/part``.
package struct NodeFileRequest: Codable, Equatable, Sendable {
    enum Subject: String, Codable, Sendable {
        /// The names of the files that a name or a pattern stands for.
        case names
        /// The images of a file.
        case survey
        /// One image.
        case image
        /// Which of the files of a coordinator the node has.
        case copies
    }

    /// A file of a coordinator.
    package struct Stamp: Codable, Equatable, Sendable {
        /// Absolute, without symbolic links.
        var path: String
        var size: Int64
        /// Nanoseconds since 1970.
        var modified: Int64
    }

    var subject: Subject
    /// Absolute.
    var path: String
    /// The HDU by its number, or by its name and version; none: every image of the file.
    var hdu: Int?
    var extensionName: String?
    var extensionVersion: Int?
    /// Whether `names` asks for the identities of the files as well.
    var identities: Bool?
    /// The files that `copies` asks for.
    var stamps: [Stamp]?
    /// Tells this request from an earlier one, which may have had another answer.
    var nonce = UInt64.random(in: .min ... .max)

    init(_ subject: Subject, _ path: String, _ selector: ImageLocation.Selector? = nil) {
        (self.subject, self.path) = (subject, path)
        switch selector {
        case .number(let number): hdu = number
        case .name(let name, let version): (extensionName, extensionVersion) = (name, version)
        // A node selects no planes.
        case .firstImage, .plane, nil: break
        }
    }

    private var selector: ImageLocation.Selector? {
        hdu.map { .number($0) } ?? extensionName.map { .name($0, version: extensionVersion) }
    }

    /// The answer of a node that allows `folders`.
    func answer(in folders: DataFolders, isCancelled: @escaping () -> Bool = { false }) -> NodeFileAnswer {
        do throws(ImageError) {
            switch subject {
            case .names:
                return try names(in: folders, isCancelled)
            case .survey:
                let found = try folders.survey(at: try folders.resolved(path), selector: selector)
                return NodeFileAnswer(file: .init(found.survey, size: found.size, modified: found.modified))
            case .image:
                return NodeFileAnswer(image: try image(in: folders))
            case .copies:
                let stamps = stamps ?? []
                return NodeFileAnswer(
                    copies: stamps.indices.filter { index in
                        let stamp = stamps[index]
                        return !isCancelled()
                            && folders.hasCopy(of: stamp.path, size: stamp.size, modified: stamp.modified)
                    })
            }
        } catch {
            return NodeFileAnswer(problem: .init(code: error.code.rawValue, message: error.message))
        }
    }

    private func names(
        in folders: DataFolders, _ isCancelled: @escaping () -> Bool
    ) throws(ImageError) -> NodeFileAnswer {
        var answer = NodeFileAnswer(names: [path])
        if ShellPattern.isPattern(path), (try? folders.resolved(path)) == nil {
            answer.names = try folders.paths(matching: path, isCancelled: isCancelled)
        } else {
            _ = try folders.resolved(path)
        }
        if identities == true {
            answer.identities = answer.names.map { name in
                isCancelled() ? nil : (try? folders.resolved(name)).flatMap { folders.identity(at: $0) }
            }
        }
        return answer
    }

    /// The image, under the name by which it was asked for if other nodes find their copies by that as well.
    private func image(in folders: DataFolders) throws(ImageError) -> NodeFileAnswer.Image {
        let resolved = try folders.resolved(path)
        let image = try folders.image(at: resolved, hdu: hdu ?? 0)
        var answer = try NodeFileAnswer.Image(image, path: resolved)
        if let identity = answer.file.identity,
            (try? folders.image(at: path, hdu: image.hduNumber, identity: identity)) != nil
        {
            answer.file.path = path
        }
        return answer
    }
}

/// A node's answer to a ``NodeFileRequest``.
package struct NodeFileAnswer: Codable, Equatable, Sendable {
    /// Why there is no answer.
    struct Problem: Codable, Equatable, Sendable {
        var code: String
        var message: String
    }

    /// A file with images.
    package struct File: Codable, Equatable, Sendable {
        package struct Image: Codable, Equatable, Sendable {
            var number: Int
            var name: String?
            var version: Int
        }

        /// Bytes.
        var size: Int64
        /// Nanoseconds since 1970.
        var modified: Int64
        var images: [Image]
        var faults: [String]

        init(_ survey: FITSSurvey, size: Int64, modified: Int64) {
            (self.size, self.modified, faults) = (size, modified, survey.faults)
            images = survey.images.map { Image(number: $0.number, name: $0.name, version: $0.version) }
        }
    }

    /// An image, as far as it is known without its pixels.
    package struct Image: Codable, Equatable, Sendable {
        /// Without symbolic links, with the file's identity.
        var file: FileNames.File
        var width: Int
        var height: Int
        var bitpix: Int
        /// The cards of the header.
        var header: [UInt8]
        /// The cards of the primary header, if the image is in an extension.
        var primary: [UInt8]

        /// The file's state on the node before it was opened; nil from earlier versions.
        var state: FileState?

        init(_ image: FITSImage, path: String) throws(ImageError) {
            (width, height, bitpix) = (image.width, image.height, image.bitpix)
            (header, primary) = (image.header.bytes, image.primary.bytes)
            state = image.stored.state
            do {
                let identity = try image.stored.opened().identity(of: image)
                file = FileNames.File(path: path, hdu: image.hduNumber, identity: identity)
            } catch {
                throw ImageError(.unreadable, "\(path): cannot be read: was it changed?")
            }
        }
    }

    var problem: Problem?
    var names: [String] = []
    /// The identities of `names`, in their order, if they were asked for: that of the first image of each file; nil if the
    /// file has none.
    var identities: [FileIdentity?]?
    /// Positions of the files that the node has.
    var copies: [Int]?
    var file: File?
    var image: Image?
}
