#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// SEP's cleaning of a whole catalogue: removes detections explained by a neighbour's wing.
///
/// SEP compares all pairs; this compares a source with those within SEP's reach of ten semi-major axes only. Pairs are
/// independent except for which sources survive, so the order among a source's neighbours does not matter. The
/// arithmetic is SEP's, in the same mix of single and double precision, so the surviving sources are the same.
package struct SourceCleaner {
    private let x: [Double]
    private let y: [Double]
    private let a: [Float]
    private let cflux: [Float]
    private let mthresh: [Float]
    private let profiles: [Profile]

    // SEP's reach, in units of the sum of two semi-major axes.
    private static let zone = 10.0

    /// A cleaner of all sources of the image; `order` lists their indices in `batch` in key order.
    package init(_ batch: SourceBatch, order: [Int], parameter: Double) {
        x = batch.sources.x.selecting(order)
        y = batch.sources.y.selecting(order)
        a = batch.sources.a.selecting(order)
        cflux = batch.sources.cflux.selecting(order)
        mthresh = batch.mthresh.selecting(order)
        profiles = Profile.all(of: batch, order, parameter)
    }

    /// The surviving sources, as ascending positions in `order`.
    package func survivors() -> [Int] { clean().survivors }

    /// The surviving sources, and for each source the one that removed it first; both as positions in `order`.
    func clean() -> (survivors: [Int], absorbers: [Int?]) {
        var absorbers = [Int?](repeating: nil, count: x.count)
        var survives = [Bool](repeating: true, count: x.count)
        let neighbours = NeighbourGrid(x: x, y: y, sizes: a, zone: Self.zone)
        for index in x.indices where survives[index] {
            neighbours.forEach(after: index) { other in
                guard survives[other] else { return }
                let dx = Float(x[index] - x[other])
                let dy = Float(y[index] - y[other])
                var reach = a[index] + a[other]
                reach *= reach
                if Double(dx * dx + dy * dy) > Double(reach) * Self.zone * Self.zone { return }
                if cflux[other] < cflux[index] {
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

    /// A source's wing: amplitude times (1 + alpha r²) to the power of minus the parameter.
    private struct Profile {
        let amplitude: Double
        let alpha: Double
        let cxx: Float
        let cyy: Float
        let cxy: Float
        let parameter: Double

        /// The profiles of the sources at `order`, in that order.
        static func all(of batch: SourceBatch, _ order: [Int], _ parameter: Double) -> [Profile] {
            let table = batch.sources
            let (a, b, cxx, cyy, cxy) = (table.a, table.b, table.cxx, table.cyy, table.cxy)
            let (cflux, thresh, npix, abcor) = (table.cflux, table.thresh, table.npix, batch.abcor)
            return order.map { index in
                let area = Double.pi * Double(a[index]) * Double(b[index])
                let amplitude = Double(cflux[index]) / (2 * area * Double(abcor[index]))
                let alpha =
                    (pow(amplitude / Double(thresh[index]), 1 / parameter) - 1) * area / Double(npix[index])
                return Profile(
                    amplitude: amplitude, alpha: alpha, cxx: cxx[index], cyy: cyy[index], cxy: cxy[index],
                    parameter: parameter)
            }
        }

        func swallows(_ dx: Float, _ dy: Float, _ limit: Float) -> Bool {
            let value = 1 + alpha * Double(cxx * dx * dx + cyy * dy * dy + cxy * dx * dy)
            return value > 1 && Float(value < 1e10 ? amplitude * pow(value, -parameter) : 0) > limit
        }
    }
}
