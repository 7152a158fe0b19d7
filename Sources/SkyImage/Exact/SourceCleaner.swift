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
    let mthresh: [Float]
    let profiles: [CleaningProfile]

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

    /// The surviving sources, and for each source the one that removed it first; both as positions in `order`.
    func clean() -> (survivors: [Int], absorbers: [Int?]) {
        var absorbers = [Int?](repeating: nil, count: x.count)
        var survives = [Bool](repeating: true, count: x.count)
        let neighbours = neighbours
        for index in x.indices where survives[index] {
            neighbours.forEach(after: index) { other in
                guard survives[other] else { return }
                guard let (dx, dy) = distance(index, other) else { return }
                if profiles[other].flux < profiles[index].flux {
                    if profiles[index].swallows(dx, dy, mthresh[other]) {
                        survives[other] = false
                        absorbers[other] = absorbers[other] ?? index
                    }
                } else if profiles[other].swallows(dx, dy, mthresh[index]) {
                    // As in SEP, a source removed here is still compared with its other neighbours.
                    survives[index] = false
                    absorbers[index] = absorbers[index] ?? other
                }
            }
        }
        return (survives.indices.filter { survives[$0] }, absorbers)
    }

    /// Finds the sources within reach of each other.
    var neighbours: NeighbourGrid { NeighbourGrid(x: x, y: y, sizes: a, zone: Self.zone) }

    /// How far one source is from another, in SEP's arithmetic; nil beyond SEP's reach.
    func distance(_ one: Int, _ other: Int) -> (dx: Float, dy: Float)? {
        let dx = Float(x[one] - x[other])
        let dy = Float(y[one] - y[other])
        var reach = a[one] + a[other]
        reach *= reach
        return Double(dx * dx + dy * dy) > Double(reach) * Self.zone * Self.zone ? nil : (dx, dy)
    }
}
