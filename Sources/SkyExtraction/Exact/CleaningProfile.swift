internal import CElementary

/// A source's wing in cleaning, in SEP's arithmetic: amplitude times (1 + alpha r²) to the power of minus the parameter.
package struct CleaningProfile {
    private var amplitude = 0.0
    private var alpha = 0.0
    /// Flux of the filtered pixels.
    package private(set) var flux: Float
    private var npix: Double
    private let area: Double
    private let abcor: Float
    private let thresh: Float
    private let cxx: Float
    private let cyy: Float
    private let cxy: Float
    private let parameter: Double

    /// The profiles of the sources at `order`, in that order.
    static func all(of batch: SourceBatch, _ order: [Int], _ parameter: Double) -> [CleaningProfile] {
        let table = batch.sources
        let (a, b, cxx, cyy, cxy) = (table.a, table.b, table.cxx, table.cyy, table.cxy)
        let (cflux, thresh, npix, abcor) = (table.cflux, table.thresh, table.npix, batch.abcor)
        return order.map { index in
            var profile = CleaningProfile(
                flux: cflux[index], npix: Double(npix[index]), area: Double.pi * Double(a[index]) * Double(b[index]),
                abcor: abcor[index], thresh: thresh[index], cxx: cxx[index], cyy: cyy[index], cxy: cxy[index],
                parameter: parameter)
            profile.update()
            return profile
        }
    }

    private mutating func update() {
        amplitude = Double(flux) / (2 * area * Double(abcor))
        alpha = (Elementary.pow(amplitude / Double(thresh), 1 / parameter) - 1) * area / npix
    }

    /// Adds the flux and the pixels of another source.
    mutating func add(_ other: CleaningProfile) {
        flux += other.flux
        npix += other.npix
        update()
    }

    /// Whether the wing is brighter than `limit` at a distance.
    package func swallows(_ dx: Float, _ dy: Float, _ limit: Float) -> Bool {
        let value = 1 + alpha * Double(cxx * dx * dx + cyy * dy * dy + cxy * dx * dy)
        return value > 1 && Float(value < 1e10 ? amplitude * Elementary.pow(value, -parameter) : 0) > limit
    }
}
