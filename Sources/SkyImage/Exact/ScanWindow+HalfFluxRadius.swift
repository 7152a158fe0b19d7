internal import CSkyfarm

extension ScanWindow {
    /// The radius in pixels of the circle that contains half of the flux within `limit` pixels of a position, in window
    /// coordinates.
    ///
    /// Nil where libsep must compute it: near a masked pixel, which changes the annuli's areas, for an unusual position
    /// or limit, and where the result depends on the last bits of sums.
    borrowing func halfFluxRadius(x: Double, y: Double, limit: Double) -> Double? {
        let isUsual = limit > 0.5 && limit < 1e5 && abs(x) < 1e6 && abs(y) < 1e6
        guard isUsual, !hasMaskedPixel(x: x, y: y, radius: limit + 2) else { return nil }
        let radius = skyfarm_half_flux_radius(pixels, Int32(rect.width), Int32(rect.height), x, y, limit)
        return radius.isNaN ? nil : radius
    }

    private borrowing func hasMaskedPixel(x: Double, y: Double, radius: Double) -> Bool {
        guard let mask else { return false }
        // Starts at 0, as the mask covers the window only.
        let box = PixelRect(x: 0..<rect.width, y: 0..<rect.height)
            .box(aroundX: x, y: y, halfWidth: radius, halfHeight: radius)
        for row in box.y {
            for column in box.x where mask[row * rect.width + column] != 0 { return true }
        }
        return false
    }
}
