internal import ScanCluster

/// Nodes that have copies of the image.
extension ImageReader {
    /// `nodes` tells which nodes have copies of the image, as far as is known when it is called: at the beginning of each
    /// step of a scan. Without it each node with a folder of images is expected to read the image, until it cannot.
    public nonisolated func expectCopies(_ nodes: @escaping @Sendable () -> FileCopies.Nodes) {
        copies.withLock { $0 = nodes }
    }

    /// The nodes with copies of the image, as far as is known.
    nonisolated var copyNodes: FileCopies.Nodes { copies.withLock { $0 }?() ?? FileCopies.Nodes() }

    /// Tells a coordinator which nodes cannot read the image.
    nonisolated func noteCopies(_ coordinator: ScanCoordinator) {
        guard let origin = checksumReference?.origin else { return }
        for name in copyNodes.without { coordinator.note(origin, lackedBy: name) }
    }
}
