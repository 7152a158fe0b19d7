import Foundation
import Testing

@testable import SkyReport

@Suite("width of a point source") struct PointSpreadTests {
    /// What a catalogue would say of a profile, by summation over rings.
    private func measure(_ profile: (Double) -> Double, limit: Double, aperture: Double, offset: Double) -> PointSpread
    {
        let step = 0.001
        func flux(_ radius: Double) -> Double {
            stride(from: step / 2, to: radius, by: step).reduce(0) { $0 + 2 * .pi * $1 * step * profile($1) }
        }
        let half = flux(limit) / 2
        var (sum, radius) = (0.0, 0.0)
        while sum < half {
            sum += 2 * .pi * (radius + step / 2) * step * profile(radius + step / 2)
            radius += step
        }
        // Pixels make the half-flux radius wider.
        let widened = (radius * radius + 2 * log(2) / 12).squareRoot()
        return PointSpread(
            halfFluxRadius: widened, limit: limit, flux: flux(aperture), aperture: aperture, peak: profile(offset),
            offset: offset)
    }

    @Test("is that of Gaussians and Moffat profiles, whatever the aperture", arguments: [2.5, 3.0, 4.765, 10.0, nil])
    func profiles(exponent: Double?) {
        for width in [2.0, 4.0, 8.0] {
            let profile: (Double) -> Double
            if let exponent {
                let alpha = width / 2 / (pow(2, 1 / exponent) - 1).squareRoot()
                profile = { pow(1 + $0 * $0 / (alpha * alpha), -exponent) }
            } else {
                profile = { exp(-4 * log(2) * $0 * $0 / (width * width)) }
            }
            for (limit, aperture, offset) in [(3.0, 2.0, 0.0), (2.5, 1.5, 0.1)] {
                let spread = measure(
                    profile, limit: limit * width, aperture: aperture * width, offset: offset * width)
                #expect(abs(spread.fullWidth / width - 1) < 0.015, "\(width): \(spread.fullWidth)")
            }
        }
    }

    @Test("is finite for measurements that no profile has")
    func strange() {
        for (flux, peak) in [(1e9, 1.0), (1.0, 1e9)] {
            let spread = PointSpread(
                halfFluxRadius: 0.3, limit: 6, flux: flux, aperture: 4, peak: peak, offset: 0.7)
            #expect(spread.fullWidth.isFinite && spread.fullWidth > 0)
        }
    }
}
