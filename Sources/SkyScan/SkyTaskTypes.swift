package import ScanCluster
public import ScanNetwork

extension TaskTypes {
    /// The tasks of a sky scan, and those that measure the connection to a node: all that `skyfarm node` runs. The
    /// first use computes their `ArithmeticFingerprint`.
    public static let sky = sky()

    /// Those, and tasks of other types.
    package static func sky<each Work: ScanTask>(and types: repeat (each Work).Type) -> TaskTypes {
        var taskTypes = TaskTypes(
            ImageTask.self, MeshTask.self, BandTask.self, CutIslandTask.self, ApertureTask.self, MeasurementTask.self,
            ForcedTask.self, MasterTask.self, CosmicRayTask.self, ChecksumTask.self, NodeFileTask.self, PixelsTask.self,
            ProbeTask.self,
            repeat each types)
        taskTypes.arithmetic = .sky
        taskTypes.unpacker = WindowUnpacker()
        return taskTypes
    }

    /// The names of those that every sky scan needs.
    public static let skyNames = [
        ImageTask.typeName, MeshTask.typeName, BandTask.typeName, CutIslandTask.typeName, ApertureTask.typeName,
    ]
}
