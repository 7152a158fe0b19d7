internal import ScanBasics
public import ScanCluster
internal import ScanNetwork
public import SkyFITS

/// The files that lie on a node, below the folders that its owner allows (`skyfarm node --data`).
///
/// Every question is a task for one node alone, which is found by its name each time, so that it may leave and come back.
/// Any of several nodes that have the same files may answer.
public struct NodeFiles: Sendable {
    /// The nodes' names. The first that is connected is asked first.
    public let nodes: [String]
    private let systems: Systems

    /// The images of a file.
    public struct File: Sendable {
        /// The HDUs that hold a 2-D image, in order.
        public var images: [ImageExtension]
        /// Faults of the file that do not prevent reading, a line each.
        public var faults: [String]
        /// Size and time of change.
        public var stamp: FileStamp
    }

    /// A file that a path or a pattern stands for.
    package struct Found: Equatable, Sendable {
        package var path: String
        /// The identity of its first image; nil if it has none, or if the node does not report it.
        package var identity: FileIdentity?

        package init(path: String, identity: FileIdentity? = nil) { (self.path, self.identity) = (path, identity) }
    }

    /// The files of `node`, one of `systems`.
    public init(of node: String, among systems: Systems) { self.init(of: [node], among: systems) }

    /// The files that all these nodes have.
    package init(of nodes: [String], among systems: Systems) { (self.nodes, self.systems) = (nodes, systems) }

    /// The absolute paths of the files that a path or a pattern of the shell stands for.
    /// - Throws: `ImageError`, which names the node and the cause; `ScanError`, `CancellationError`.
    public func paths(matching pattern: String) async throws -> [String] {
        try await names(NodeFileRequest(.names, pattern)).names
    }

    private func names(_ request: NodeFileRequest) async throws -> NodeFileAnswer {
        var answer = try await ask(request)
        // They become names of this machine's files, and are shown: one with control characters is that of no file.
        answer.names = answer.names.map(\.printable)
        guard answer.names.allSatisfy({ ShellPattern.matches(path: $0, pattern: request.path) }) else {
            throw Self.problem(nodes[0], .corrupt, "\(request.path): the node has sent a name that does not match it")
        }
        return answer
    }

    /// As `paths(matching:)`, with what tells the files from those of other nodes.
    /// - Throws: as `paths(matching:)`.
    package func files(matching pattern: String) async throws -> [Found] {
        var request = NodeFileRequest(.names, pattern)
        request.identities = true
        let answer = try await names(request)
        let identities = answer.identities ?? []
        return answer.names.enumerated().map { index, path in
            Found(path: path, identity: identities.indices.contains(index) ? identities[index] : nil)
        }
    }

    /// The positions of the files of which the node has copies.
    /// - Throws: as `paths(matching:)`.
    package func copies(of stamps: [NodeFileRequest.Stamp]) async throws -> [Int] {
        var request = NodeFileRequest(.copies, "")
        request.stamps = stamps
        return try await ask(request).copies ?? []
    }

    /// The images of the file at `path`; with a selector only the HDU that it selects.
    /// - Throws: as `paths(matching:)`.
    public func survey(_ path: String, selector: ImageLocation.Selector?) async throws -> File {
        guard let file = try await ask(NodeFileRequest(.survey, path, selector)).file else {
            throw Self.problem(nodes[0], .unreadable, "\(path): the node has sent no answer")
        }
        // Any of them has the same file.
        let node = nodes[0]
        let images = file.images.map { image in
            ImageExtension(number: image.number, name: image.name?.printable, version: image.version)
        }
        return File(
            images: images, faults: file.faults.map { "\(node): \($0.printable)" },
            stamp: FileStamp(path: "\(node):\(path)", size: file.size, nanoseconds: file.modified))
    }

    /// A reader of HDU `hdu` of the file at `path`, for a scan. Nodes that have the file read it themselves; for other
    /// systems its pixels are fetched from the node.
    ///
    /// `name` is the image's name in catalogues; the cards of `head` replace those of the header.
    /// - Throws: as `paths(matching:)`.
    public func reader(
        _ path: String, hdu: Int, name: String, imageCount: Int, head: FITSHeader? = nil
    ) async throws -> ImageReader {
        guard let image = try await ask(NodeFileRequest(.image, path, .number(hdu))).image else {
            throw Self.problem(nodes[0], .unreadable, "\(path): the node has sent no answer")
        }
        // The header comes from a peer, and is checked like that of a file.
        let (count, overflow) = image.width.multipliedReportingOverflow(by: image.height)
        guard image.width > 0, image.height > 0, !overflow, count <= FITSImage.maximumPixelCount,
            max(image.width, image.height) < Int(Int32.max)
        else {
            throw Self.problem(nodes[0], .corrupt, "\(path): the size \(image.width)x\(image.height) is impossible")
        }
        return try ImageReader(image, on: self, name: name, imageCount: imageCount, head: head)
    }

    /// The header of HDU `hdu` of the file at `path`, and the primary header if that is another one.
    /// - Throws: as `paths(matching:)`.
    package func headers(_ path: String, hdu: Int) async throws -> (FITSHeader, primary: FITSHeader?) {
        guard let image = try await ask(NodeFileRequest(.image, path, .number(hdu))).image else {
            throw Self.problem(nodes[0], .unreadable, "\(path): the node has sent no answer")
        }
        return (FITSHeader(bytes: image.header), image.primary.isEmpty ? nil : FITSHeader(bytes: image.primary))
    }

    /// Checks that the file of an image is still the one whose state was `states`.
    /// - Throws: `ImageError` with `changed`; as `paths(matching:)`.
    package func requireUnchanged(_ file: FileNames.File, _ states: InputStates) async throws {
        let image = try await ask(NodeFileRequest(.image, file.path, .number(file.hdu))).image
        let areCopies = nodes.count > 1
        guard let image, image.file == file,
            !InputStates(image: image.state).mayDiffer(from: states, areCopies: areCopies)
        else {
            throw Self.problem(
                nodes[0], .changed, "\(file.path): was changed while it was scanned; scan it again when it is complete")
        }
    }

    /// The pixels of a window of the image of a reference's origin.
    /// - Throws: as `paths(matching:)`.
    package func pixels(_ window: WindowPixels, by reference: BulkReference) async throws -> BulkBytes {
        // Another node first for each window, so that none has all the work.
        let bytes = try await run(
            PixelsTask(window: window), reference, byteCount: window.byteCount,
            turn: window.rect.y.lowerBound / max(1, window.rect.height))
        return BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// The checksum of the image of a reference's origin.
    /// - Throws: as `paths(matching:)`.
    package func checksums(_ task: ChecksumTask, by reference: BulkReference) async throws -> InputChecksums {
        try await run(task, reference, byteCount: ChecksumTask.byteCount)
    }

    private func ask(_ request: NodeFileRequest) async throws -> NodeFileAnswer {
        var reference = BulkReference(
            origin: try WireEncoder().encode(request), part: NodeFileTask.part, identifiesBytes: true)
        reference.isQuestion = true
        return try await each { node in
            let answer = try await run(NodeFileTask(), reference, byteCount: NodeFileTask.byteCount, on: node)
            if let found = answer.problem {
                throw Self.problem(node, ImageErrorCode(rawValue: found.code) ?? .unreadable, found.message.printable)
            }
            return answer
        }
    }

    private static func problem(_ node: String, _ code: ImageErrorCode, _ message: String) -> ImageError {
        ImageError(code, "node \(node): \(message)")
    }

    /// Runs a task on one of the nodes; `turn` says which is tried first.
    private func run<Work: ScanTask>(
        _ task: Work, _ reference: BulkReference, byteCount: Int, turn: Int = 0
    ) async throws -> Work.Output {
        try await each(turn) { try await run(task, reference, byteCount: byteCount, on: $0) }
    }

    /// Calls `body` with the nodes, one after the other, until one has an answer.
    /// - Throws: the first node's error.
    private func each<Answer>(_ turn: Int = 0, _ body: (String) async throws -> Answer) async throws -> Answer {
        let start = turn % nodes.count
        var failure: ImageError?
        for node in nodes[start...] + nodes[..<start] {
            do {
                return try await body(node)
            } catch let error as ImageError {
                failure = failure ?? error
            }
        }
        throw failure ?? Self.problem(nodes[0], .unreadable, "has given no answer")
    }

    /// Runs a task on a node.
    private func run<Work: ScanTask>(
        _ task: Work, _ reference: BulkReference, byteCount: Int, on node: String
    ) async throws -> Work.Output {
        guard let id = systems.snapshot.first(where: { !$0.isLocal && $0.name == node })?.id else {
            throw Self.problem(node, .missing, "is not connected; see `skyfarm nodes`")
        }
        let coordinator = ScanCoordinator(
            systems: systems.subset([id]), options: .init(waitForSystems: .zero), clock: EventLoop.shared,
            executor: EventLoop.shared)
        // Loaded only if the node cannot read what the reference refers to.
        let source = BulkSource(reference: reference, byteCount: byteCount) {
            throw Self.problem(
                node, .unreadable, "reads no such file: start it with --data FOLDER, or copy the image; see its log")
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
            case .noSystem:
                throw Self.problem(node, .unreadable, "has left, or is of another version: \(error.message)")
            default: throw error
            }
        }
        throw Self.problem(node, .unreadable, "has given no answer")
    }
}
