public import ScanNetwork

extension Scanners {
    /// The tasks of a sky scan, and those that measure the connection to a node: all that `skyfarm node` runs.
    public static let sky = Scanners(
        ImageTask.self, MeshTask.self, BandTask.self, CutIslandTask.self, ApertureTask.self, ProbeTask.self)
}
