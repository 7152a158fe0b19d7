package import Console
import ScanCluster
package import SkyFITS
package import SkyScan

/// Names of the tasks of a scan, such as "band 7 of 12 (extraction)". Pure.
package struct TaskNames: Sendable {
    private var step = ScanStep.background
    /// Places of the tasks among all sectors of the step, from 1, by index.
    private var places: [Int] = []
    private var count = 0

    package init() {}

    /// The tasks of a step work on the sectors in `waiting`; those in `resumed` are done.
    package mutating func begin(_ step: ScanStep, waiting: [PixelRect], resumed: [PixelRect]) {
        let sectors = waiting + resumed
        let order = sectors.indices.sorted { first, second in
            let (first, second) = (sectors[first], sectors[second])
            return (first.y.lowerBound, first.x.lowerBound) < (second.y.lowerBound, second.x.lowerBound)
        }
        (self.step, count) = (step, sectors.count)
        places = [Int](repeating: 0, count: sectors.count)
        for (place, index) in order.enumerated() { places[index] = place + 1 }
        places.removeLast(resumed.count)
    }

    package subscript(index: Int) -> String {
        guard places.indices.contains(index) else { return "task \(index)" }
        let isBand = step == .background || step == .extraction
        let sector = isBand && count == 1 ? "image" : "\(isBand ? "band" : "window") \(places[index]) of \(count)"
        return "\(sector) (\(step.rawValue))"
    }
}

/// Names of the tasks of each image of a job.
package final class JobTaskNames: Sendable {
    private let names = Locked<[String: TaskNames]>([:])

    package init() {}

    /// The tasks of a step of `image` begin; see ``TaskNames/begin(_:waiting:resumed:)``.
    package func begin(_ step: ScanStep, waiting: [PixelRect], resumed: [PixelRect], of image: String) {
        names.withLock { $0[image, default: TaskNames()].begin(step, waiting: waiting, resumed: resumed) }
    }

    /// The image has no further tasks.
    package func remove(_ image: String) { names.withLock { _ = $0.removeValue(forKey: image) } }

    /// The name of task `index`, after that of its image, if that has one.
    package func name(of index: Int, of image: String) -> StyledText {
        let task = names.withLock { $0[image] }?[index] ?? "task \(index)"
        return image.isEmpty ? "\(task)" : "\(name: image): \(task)"
    }
}
