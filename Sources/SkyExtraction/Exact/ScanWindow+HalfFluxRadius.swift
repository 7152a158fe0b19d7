internal import CSkyKernel

extension ScanWindow {
    /// The radius in pixels of the circle that contains half of the flux within `limit` pixels of a position, in image
    /// coordinates.
    ///
    /// Nil where libsep must compute it: near a masked pixel, which changes the annuli's areas, for an unusual position
    /// or limit, and where the result depends on the last bits of sums.
    package borrowing func halfFluxRadius(x: Double, y: Double, limit: Double) -> Double? {
        let isUsual = limit > 0.5 && limit < 1e5 && abs(x) < 1e9 && abs(y) < 1e9
        guard isUsual, !hasMaskedPixel(x: x, y: y, radius: limit) else { return nil }
        let radius = skyfarm_half_flux_radius(
            pixels, Int32(rect.x.lowerBound), Int32(rect.y.lowerBound), Int32(rect.width), Int32(rect.height), x, y,
            limit)
        return radius.isNaN ? nil : radius
    }

    /// Looks no further than ``Measurement/needed`` reaches: windows that hold it give the same answer.
    private borrowing func hasMaskedPixel(x: Double, y: Double, radius: Double) -> Bool {
        guard let mask else { return false }
        let box = rect.box(aroundX: x, y: y, halfWidth: radius, halfHeight: radius)
        for row in box.y {
            let line = mask + (row - rect.y.lowerBound) * rect.width - rect.x.lowerBound
            for column in box.x where line[column] != 0 { return true }
        }
        return false
    }
}
