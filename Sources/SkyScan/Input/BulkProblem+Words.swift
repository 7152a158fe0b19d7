internal import ScanCluster
public import ScanNetwork

extension BulkProblem {
    /// The problem in one line, with its nodes and the file.
    public var words: String {
        switch self {
        case .unread(let origin, let node):
            "node \(node) did not read \(Self.path(origin)) itself: there is no such file below its folders of --data, "
                + "or another one; the pixels were sent to it"
        case .disagreement(let reference, let nodes):
            "nodes \(nodes.joined(separator: " and ")) read different pixels of \(Self.path(reference.origin))"
                + "\(Self.rows(reference.part)): their copies of the file differ; copy it again, or start nodes without "
                + "--data"
        }
    }

    /// Whether the pixels that a scan of the image of `reader` used are uncertain.
    public func discredits(_ reader: ImageReader) -> Bool {
        guard case .disagreement(let reference, _) = self else { return false }
        return reader.isOrigin(reference.origin)
    }

    /// Whether users need not hear of it, since other nodes have the file and read it.
    public func isExcused(by copies: FileCopies?) -> Bool {
        guard case .unread(let origin, let node) = self else { return false }
        return copies?.excuses(node, from: Self.path(origin)) == true
    }

    private static func path(_ origin: [UInt8]) -> String {
        (try? WireDecoder().decode(FileNames.self, from: origin))?.image.path ?? "an image"
    }

    private static func rows(_ part: [UInt8]) -> String {
        guard let window = try? WireDecoder().decode(WindowPixels.self, from: part) else { return "" }
        return ", rows \(window.rect.y.lowerBound) to \(window.rect.y.upperBound - 1)"
    }
}
