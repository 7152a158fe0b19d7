import ScanCluster
import ScanNetwork
import SkyFITS
import SkyScan

/// A task that only takes the pixels of a window: they are received and converted, and then dropped.
struct ReceivedPixels: ScanTask {
    static let typeName = "skyfarm-benchmarks.pixels/1"

    var id: Int
    var window: PixelRect

    var cost: Double { Double(window.area) }

    /// The types of task of a node that only receives.
    static var taskTypes: TaskTypes {
        var taskTypes = TaskTypes(ReceivedPixels.self)
        taskTypes.unpacker = WindowUnpacker()
        return taskTypes
    }

    /// - Returns: the number of bytes of the pixels.
    func scan(_ context: ScanContext) -> Int { context.takeBulk()?.count ?? 0 }

    func validate(_ output: Int) throws {
        guard output == window.area * MemoryLayout<Float>.stride else {
            throw BenchmarkError("the window \(window) arrived with \(output) bytes")
        }
    }
}
