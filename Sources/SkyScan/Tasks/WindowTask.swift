package import ScanCluster

/// A scan task on the pixels of a window.
package protocol WindowTask: ScanTask {
    /// Layout of its bulk bytes.
    var window: WindowPixels { get }
}

extension WindowTask {
    /// Pixels that one slot scans in a second on an ordinary processor.
    package static var assumedCostPerSecond: Double? { 40e6 }
}
