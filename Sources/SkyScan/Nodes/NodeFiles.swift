public import ScanCluster
internal import ScanBasics
internal import ScanNetwork
public import SkyImage

/// The files that lie on a node, below the folders that its owner allows (`skyfarm node --data`).
///
/// Every question is a task for that node alone, which is found by its name each time, so that it may leave and come back.
public struct NodeFiles: Sendable {
    /// The node's name.
    public let node: String
    private let systems: Systems

    /// The images of a file.
    public struct File: Sendable {
        /// The HDUs that hold a 2-D image, in order.
        public var images: [CatalogueTable.Extension]
        /// Faults of the file that do not prevent reading, a line each.
        public var faults: [String]
        /// Size and time of change.
        public var stamp: FileStamp
    }

    /// The files of `node`, one of `systems`.
    public init(of node: String, among systems: Systems) { (self.node, self.systems) = (node, systems) }

    /// The absolute paths of the files that a path or a pattern of the shell stands for.
    /// - Throws: ``ImageError``, which names the node and the cause; ``ScanError``, `CancellationError`.
    public func paths(matching pattern: String) async throws -> [String] {
        let names = try await ask(NodeFileRequest(.names, pattern)).names
        // They become names of this machine's files.
        guard names.allSatisfy({ ShellPattern.matches(path: $0, pattern: pattern) }) else {
            throw problem(.corrupt, "\(pattern): the node has sent a name that does not match it")
        }
        return names
    }

    /// The images of the file at `path`; with a selector only the HDU that it selects.
    /// - Throws: as ``paths(matching:)``.
    public func survey(_ path: String, selector: ImageLocation.Selector?) async throws -> File {
        guard let file = try await ask(NodeFileRequest(.survey, path, selector)).file else {
            throw problem(.unreadable, "\(path): the node has sent no answer")
        }
        let images = file.images.map { CatalogueTable.Extension(number: $0.number, name: $0.name, version: $0.version) }
        return File(
            images: images, faults: file.faults.map { "\(node): \($0)" },
            stamp: FileStamp(path: "\(node):\(path)", size: file.size, nanoseconds: file.modified))
    }

    /// A reader of HDU `hdu` of the file at `path`, for a scan. Nodes that have the file read it themselves; for other
    /// systems its pixels are fetched from the node.
    ///
    /// `name` is the image's name in catalogues; the cards of `head` replace those of the header.
    /// - Throws: as ``paths(matching:)``.
    public func reader(
        _ path: String, hdu: Int, name: String, imageCount: Int, head: FITSHeader? = nil
    ) async throws -> ImageReader {
        guard let image = try await ask(NodeFileRequest(.image, path, .number(hdu))).image else {
            throw problem(.unreadable, "\(path): the node has sent no answer")
        }
        // What a peer sends is checked like a header of a file.
        let (count, overflow) = image.width.multipliedReportingOverflow(by: image.height)
        guard image.width > 0, image.height > 0, !overflow, count <= FITSImage.maximumPixelCount,
            max(image.width, image.height) < Int(Int32.max)
        else { throw problem(.corrupt, "\(path): the size \(image.width)x\(image.height) is impossible") }
        return try ImageReader(image, on: self, name: name, imageCount: imageCount, head: head)
    }

    /// Checks that the file of an image is still the one whose state was `states`.
    /// - Throws: ``ImageError`` with `changed`; as ``paths(matching:)``.
    func requireUnchanged(_ file: FileNames.File, _ states: InputStates) async throws {
        let image = try await ask(NodeFileRequest(.image, file.path, .number(file.hdu))).image
        guard let image, image.file == file, !InputStates(image: image.state).mayDiffer(from: states) else {
            throw problem(.changed, "\(file.path): was changed while it was scanned; scan it again when it is complete")
        }
    }

    /// The pixels of a window of the image of a reference's origin.
    /// - Throws: as ``paths(matching:)``.
    func pixels(_ window: WindowPixels, by reference: BulkReference) async throws -> BulkBytes {
        let bytes = try await run(PixelsTask(window: window), reference, byteCount: window.byteCount)
        return BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// The checksum of the image of a reference's origin.
    /// - Throws: as ``paths(matching:)``.
    func checksums(_ task: ChecksumTask, by reference: BulkReference) async throws -> InputChecksums {
        try await run(task, reference, byteCount: ChecksumTask.byteCount)
    }

    private func ask(_ request: NodeFileRequest) async throws -> NodeFileAnswer {
        let reference = BulkReference(
            origin: try WireEncoder().encode(request), part: NodeFileTask.part, identifiesBytes: true)
        let answer = try await run(NodeFileTask(), reference, byteCount: NodeFileTask.byteCount)
        if let found = answer.problem {
            throw problem(ImageErrorCode(rawValue: found.code) ?? .unreadable, found.message.printable)
        }
        return answer
    }

    private func problem(_ code: ImageErrorCode, _ message: String) -> ImageError {
        ImageError(code, "node \(node): \(message)")
    }

    /// Runs a task on the node.
    private func run<Work: ScanTask>(
        _ task: Work, _ reference: BulkReference, byteCount: Int
    ) async throws -> Work.Output {
        guard let id = systems.snapshot.first(where: { !$0.isLocal && $0.name == node })?.id else {
            throw problem(.missing, "is not connected; see `skyfarm nodes`")
        }
        let coordinator = ScanCoordinator(
            systems: systems.subset([id]), options: .init(waitForSystems: .zero), clock: EventLoop.shared,
            executor: EventLoop.shared)
        // Loaded only if the node cannot read what the reference refers to.
        let source = BulkSource(reference: reference, byteCount: byteCount) { [self] in
            throw problem(
                .unreadable, "reads no such file: start it with --data FOLDER, or copy the image; see its log")
        }
        do throws(ScanError) {
            for try await response in coordinator.responses(to: CollectionOfOne(task), bulk: { _ in source }) {
                switch response.result {
                case .success(let output): return output
                case .failure(let failure): throw ScanError(.bulkUnreadable, "node \(node): \(failure.message)")
                }
            }
        } catch {
            try Task.checkCancellation()
            switch error.code {
            case .bulkUnreadable: throw ImageError(.unreadable, error.message)
            case .noSystem: throw problem(.unreadable, "has left, or is of another version: \(error.message)")
            default: throw error
            }
        }
        throw problem(.unreadable, "has given no answer")
    }
}
