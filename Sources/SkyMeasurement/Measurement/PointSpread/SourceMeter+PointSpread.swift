import SkyExtraction
import SkyFITS

extension SourceMeter {
    /// Fits the point spread function, if one is requested, to the source at `position`.
    borrowing func measurePointSpread(_ target: ApertureTarget, _ position: Int, _ row: inout [Double]) {
        guard let model = request.pointSpread else { return }
        let samples = model.local(x: target.x + 1, y: target.y + 1)
        let stamp = stamp(around: target, position, reach: model.reach)
        let fit = PointSpreadFit(samples, stamp, x: target.x, y: target.y, limit: max(2, model.fwhm))
        set(.xPSF, [fit.x], &row)
        set(.yPSF, [fit.y], &row)
        set(.fluxPSF, [fit.flux], &row)
        set(.fluxErrPSF, [fit.fluxErr], &row)
        set(.iterationsPSF, [Double(fit.iterations)], &row)
        set(.chi2PSF, [fit.chi2], &row)
        set(.errX2PSF, [fit.errX2], &row)
        set(.errY2PSF, [fit.errY2], &row)
        set(.errXYPSF, [fit.errXY], &row)
        guard let disc = model.localExtended(x: target.x + 1, y: target.y + 1) else { return }
        let spread = SpreadMeasure(samples, disc: disc, stamp, x: fit.x, y: fit.y)
        set(.spread, [spread.value], &row)
        set(.spreadErr, [spread.error], &row)
    }

    /// The pixels of the image within `reach` of a source; those of other sources do not count.
    private borrowing func stamp(around target: ApertureTarget, _ position: Int, reach: Int) -> PointSpreadStamp {
        let (x, y) = (Int(target.x.rounded()), Int(target.y.rounded()))
        let whole = PixelRect(x: x - reach..<x + reach + 1, y: y - reach..<y + reach + 1)
        var stamp = PointSpreadStamp(rect: whole.clamped(to: pixels.image), values: [], variances: [])
        let (rect, gain) = (pixels.rect, gain)
        for y in stamp.rect.y {
            for x in stamp.rect.x {
                let offset = (y - rect.y.lowerBound) * rect.width + x - rect.x.lowerBound
                let isBad = pixels.mask.map { $0[offset] != 0 } ?? false
                let isOther = owners.isForeign(offset, to: sources.index[position] + 1)
                let value = Double(pixels.pixels[offset] - local)
                let noise = Double(pixels.noiseMap.map { $0[offset] } ?? pixels.globalNoise)
                let photons = gain > 0 && value > 0 ? value / gain : 0
                let counts = !isBad && !(isOther && request.masking != .none)
                stamp.values.append(value)
                stamp.variances.append(counts ? noise * noise + photons : 0)
            }
        }
        return stamp
    }
}
