public import ScanNetwork

extension Scanners {
    /// The tasks of a sky scan, and those that measure the connection to a node: all that `skyfarm node` runs. The
    /// first use computes their ``ArithmeticFingerprint``.
    public static let sky = {
        var scanners = Scanners(
            ImageTask.self, MeshTask.self, BandTask.self, CutIslandTask.self, ApertureTask.self, MeasurementTask.self,
            ForcedTask.self, ChecksumTask.self, NodeFileTask.self, PixelsTask.self, ProbeTask.self)
        scanners.arithmetic = .sky
        scanners.unpacker = WindowUnpacker()
        return scanners
    }()

    /// The names of those that every sky scan needs.
    public static let skyNames = [
        ImageTask.scanner, MeshTask.scanner, BandTask.scanner, CutIslandTask.scanner, ApertureTask.scanner,
    ]
}
