import Foundation

/// The width of a point source from catalogue measurements, for profiles between a Gaussian and one with wide wings.
///
/// The half-flux radius and the ratio of flux to peak depend differently on profile and width. Together they select a
/// Moffat profile, (1 + r²/α²)^-β, which gives the width. Neither alone would suffice: the half-flux radius of a
/// Gaussian is 0.50 times its full width at half maximum, that of a Moffat profile of exponent 3 is 0.63 times.
package struct PointSpread {
    /// Radius of the circle with half of the flux within ``limit``.
    package var halfFluxRadius: Double
    /// Radius within which the half-flux radius is measured.
    package var limit: Double
    /// Flux within ``aperture``.
    package var flux: Double
    /// Radius of the aperture.
    package var aperture: Double
    /// Value of the highest pixel.
    package var peak: Double
    /// Distance from the centre of the highest pixel to the centre of the source.
    package var offset: Double

    private static let exponents = 1.5...60.0

    /// Full width at half maximum, in pixels.
    package var fullWidth: Double {
        // The ratio of flux to peak grows with the exponent.
        var (low, high) = (log(Self.exponents.lowerBound), log(Self.exponents.upperBound))
        // Twelve halvings give the exponent within 0.1 %, and the width better still.
        for _ in 0..<12 {
            let middle = (low + high) / 2
            if fluxOverPeak(exponent: exp(middle)) < flux / peak { low = middle } else { high = middle }
        }
        let exponent = exp((low + high) / 2)
        return 2 * alpha(exponent: exponent) * (pow(2, 1 / exponent) - 1).squareRoot()
    }

    private func fluxOverPeak(exponent: Double) -> Double {
        let alpha = alpha(exponent: exponent)
        let total = Double.pi * alpha * alpha / (exponent - 1)
        let height = pow(1 + offset * offset / (alpha * alpha), -exponent)
        return total * Self.share(within: aperture / alpha, exponent) / height
    }

    /// The half-flux radius of the profile. SEP measures it for pixels of constant brightness, which are wider by the
    /// variance of a pixel, 1/12 along each axis; the variance of a Gaussian is the square of its radius over 2 ln 2.
    private var radius: Double {
        let square = halfFluxRadius * halfFluxRadius
        return max(square / 2, square - 2 * log(2) / 12).squareRoot()
    }

    /// Returns the α for which the profile has the measured half-flux radius.
    private func alpha(exponent: Double) -> Double {
        var alpha = radius / (pow(2, 1 / (exponent - 1)) - 1).squareRoot()
        for _ in 0..<6 {
            let (half, last) = (Self.share(within: limit / alpha, exponent) / 2, alpha)
            alpha = radius / (pow(1 - half, 1 / (1 - exponent)) - 1).squareRoot()
            if abs(alpha - last) < 1e-5 * alpha { break }
        }
        return alpha
    }

    /// Returns the fraction of the flux within a radius in units of α.
    private static func share(within radius: Double, _ exponent: Double) -> Double {
        1 - pow(1 + radius * radius, 1 - exponent)
    }
}
