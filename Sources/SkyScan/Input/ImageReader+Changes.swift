public import SkyFITS

/// The states of the files of an image before they were opened, by which images of one file are known to be of one
/// version of it.
public struct InputStates: Equatable, Sendable {
    private let files: [FileState?]

    init(_ files: ImageFiles) { self.files = [files.image, files.mask, files.weights].map { $0?.stored.state } }

    init(image: FileState?) { files = [image] }

    /// Whether a file may have been written to between the two. `areCopies`: it may be a copy of the file, on another node.
    public func mayDiffer(from earlier: InputStates, areCopies: Bool = false) -> Bool {
        zip(files, earlier.files).contains { now, earlier in
            guard let now, let earlier, now.mayDiffer(from: earlier) else { return false }
            return !areCopies || now.differsAsCopy(from: earlier)
        }
    }
}

extension ImageReader {
    /// Checks that nobody has written to the files since before they were opened: what was read so far is then of one
    /// version of them. Nothing is checked of an image on a node.
    /// - Throws: `ImageError` with `changed`, which names the file.
    public nonisolated func requireUnchanged() throws(ImageError) { try openFiles?.requireUnchanged() }

    /// As ``requireUnchanged()``; a node is asked for the state of its file. If it cannot answer any more, nothing is
    /// known but that the file had the same size and time of change at each read.
    /// - Throws: `ImageError` with `changed`, `CancellationError`.
    public nonisolated func confirmUnchanged() async throws {
        try requireUnchanged()
        guard let node, let origin = nodeImage else { return }
        do {
            try await node.requireUnchanged(origin, states)
        } catch let error as ImageError where error.code == .changed {
            throw error
        } catch {
            try Task.checkCancellation()
        }
    }
}
