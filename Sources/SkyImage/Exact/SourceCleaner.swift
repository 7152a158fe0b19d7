#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// SEP's cleaning of a whole catalogue: removes sources that a neighbour's wing would have made.
///
/// SEP compares all pairs; here a source meets only those within SEP's reach of ten semi-major axes. Pairs are
/// independent but for the survivors, so that the order within a source's neighbours does not matter, and the
/// arithmetic is SEP's, single and double precision alike: the survivors are the same.
package struct SourceCleaner {
    private let x: [Double]
    private let y: [Double]
    private let a: [Float]
    private let b: [Float]
    private let cxx: [Float]
    private let cyy: [Float]
    private let cxy: [Float]
    private let cflux: [Float]
    private let thresh: [Float]
    private let npix: [Int32]
    private let abcor: [Float]
    private let mthresh: [Float]
    private let parameter: Double

    // SEP's reach, in units of the sum of two semi-major axes.
    private static let zone = 10.0

    /// A cleaner of `batch`, which must hold all sources of the image in key order.
    package init(_ batch: SourceBatch, parameter: Double) {
        let table = batch.sources
        x = table.x
        y = table.y
        a = table.a
        b = table.b
        cxx = table.cxx
        cyy = table.cyy
        cxy = table.cxy
        cflux = table.cflux
        thresh = table.thresh
        npix = table.npix
        abcor = batch.abcor
        mthresh = batch.mthresh
        self.parameter = parameter
    }

    /// Indices of the sources that remain, in order.
    package func survivors() -> [Int] {
        var survives = [Bool](repeating: true, count: x.count)
        let neighbours = NeighbourGrid(x: x, y: y, sizes: a, zone: Self.zone)
        for index in x.indices where survives[index] {
            let profile = Profile(self, index)
            neighbours.forEach(after: index) { other in
                guard survives[other] else { return }
                let dx = Float(x[index] - x[other])
                let dy = Float(y[index] - y[other])
                var reach = a[index] + a[other]
                reach *= reach
                if Double(dx * dx + dy * dy) > Double(reach) * Self.zone * Self.zone { return }
                if cflux[other] < cflux[index] {
                    if profile.swallows(dx, dy, mthresh[other]) { survives[other] = false }
                } else if Profile(self, other).swallows(dx, dy, mthresh[index]) {
                    // As in SEP, a source that was swallowed goes on swallowing in its own turn.
                    survives[index] = false
                }
            }
        }
        return survives.indices.filter { survives[$0] }
    }

    /// A source's wing: amplitude times (1 + alpha r²) to the power of minus the parameter.
    private struct Profile {
        let amplitude: Double
        let alpha: Double
        let cxx: Float
        let cyy: Float
        let cxy: Float
        let parameter: Double

        init(_ cleaner: SourceCleaner, _ index: Int) {
            let area = Double.pi * Double(cleaner.a[index]) * Double(cleaner.b[index])
            amplitude = Double(cleaner.cflux[index]) / (2 * area * Double(cleaner.abcor[index]))
            parameter = cleaner.parameter
            alpha =
                (pow(amplitude / Double(cleaner.thresh[index]), 1 / parameter) - 1) * area
                / Double(cleaner.npix[index])
            cxx = cleaner.cxx[index]
            cyy = cleaner.cyy[index]
            cxy = cleaner.cxy[index]
        }

        func swallows(_ dx: Float, _ dy: Float, _ limit: Float) -> Bool {
            let value = 1 + alpha * Double(cxx * dx * dx + cyy * dy * dy + cxy * dx * dy)
            return value > 1 && Float(value < 1e10 ? amplitude * pow(value, -parameter) : 0) > limit
        }
    }
}
