internal import Dispatch

/// Cleaning of a whole catalogue: removes detections explained by a neighbour's wing. ``clean()`` is SEP's, ``merge()``
/// SExtractor's.
///
/// SEP compares all pairs; this compares a source with those within SEP's reach of ten semi-major axes only. Pairs are
/// independent except for which sources survive, so the order among a source's neighbours does not matter in SEP's. The
/// arithmetic is SEP's, in the same mix of single and double precision, so the surviving sources are the same.
package struct SourceCleaner {
    private let x: [Double]
    private let y: [Double]
    private let a: [Float]
    /// Surface brightness that a wing must exceed to explain a source.
    package let mthresh: [Float]
    package let profiles: [CleaningProfile]

    // SEP's reach, in units of the sum of two semi-major axes.
    private static let zone = 10.0

    /// A cleaner of all sources of the image; `order` lists their indices in `batch` in key order.
    package init(_ batch: SourceBatch, order: [Int], parameter: Double) {
        x = batch.sources.x.selecting(order)
        y = batch.sources.y.selecting(order)
        a = batch.sources.a.selecting(order)
        mthresh = batch.mthresh.selecting(order)
        profiles = CleaningProfile.all(of: batch, order, parameter)
    }

    /// The surviving sources, as ascending positions in `order`.
    package func survivors() -> [Int] { clean().survivors }

    /// One source that would remove another if both survived.
    private struct Removal {
        let index: Int
        let other: Int
        /// Whether the other one would be removed, which comes later in the order.
        let ofOther: Bool
    }

    /// The surviving sources, and for each source the one that removed it first; both as positions in `order`.
    ///
    /// Whether a wing explains a source does not depend on which sources survive: processors find such pairs side by side.
    package func clean() -> (survivors: [Int], absorbers: [Int?]) {
        var absorbers = [Int?](repeating: nil, count: x.count)
        var survives = [Bool](repeating: true, count: x.count)
        for removals in removals {
            var last: (index: Int, survived: Bool)?
            for removal in removals {
                let (index, other) = (removal.index, removal.other)
                if last?.index != index { last = (index, survives[index]) }
                // As in SEP, a source that is removed in its own turn is still compared with its other neighbours.
                guard last?.survived == true, survives[other] else { continue }
                let (removed, absorber) = removal.ofOther ? (other, index) : (index, other)
                survives[removed] = false
                absorbers[removed] = absorbers[removed] ?? absorber
            }
        }
        return (survives.indices.filter { survives[$0] }, absorbers)
    }

    // Sources whose pairs one processor finds at a time.
    private static let partSize = 2048

    /// The removals in the order of their first sources, in parts.
    private var removals: [[Removal]] {
        let neighbours = neighbours
        let parts = stride(from: 0, to: x.count, by: Self.partSize).map { $0..<min($0 + Self.partSize, x.count) }
        var found = [[Removal]](repeating: [], count: parts.count)
        found.withUnsafeMutableBufferPointer { found in
            // Unsafe: each iteration writes its own element, and all have ended when the call returns.
            nonisolated(unsafe) let found = found
            DispatchQueue.concurrentPerform(iterations: parts.count) { part in
                found[part] = removals(parts[part], neighbours)
            }
        }
        return found
    }

    private func removals(_ indices: Range<Int>, _ neighbours: NeighbourGrid) -> [Removal] {
        var found: [Removal] = []
        for index in indices {
            neighbours.forEach(after: index) { other in
                guard let (dx, dy) = distance(index, other) else { return }
                if profiles[other].flux < profiles[index].flux {
                    guard profiles[index].swallows(dx, dy, mthresh[other]) else { return }
                    found.append(Removal(index: index, other: other, ofOther: true))
                } else if profiles[other].swallows(dx, dy, mthresh[index]) {
                    found.append(Removal(index: index, other: other, ofOther: false))
                }
            }
        }
        return found
    }

    /// Finds the sources within reach of each other.
    var neighbours: NeighbourGrid { NeighbourGrid(x: x, y: y, sizes: a, zone: Self.zone) }

    /// How far one source is from another, in SEP's arithmetic; nil beyond SEP's reach.
    package func distance(_ one: Int, _ other: Int) -> (dx: Float, dy: Float)? {
        let dx = Float(x[one] - x[other])
        let dy = Float(y[one] - y[other])
        var reach = a[one] + a[other]
        reach *= reach
        return Double(dx * dx + dy * dy) > Double(reach) * Self.zone * Self.zone ? nil : (dx, dy)
    }
}
