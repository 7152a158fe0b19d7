internal import Foundation
internal import SkyImage

extension SExtractorContext {
    /// Which position of a source.
    enum Place {
        case barycentre, windowed, peak, fitted
    }

    /// Which moments.
    enum Profile {
        case barycentre, barycentreError, windowed, windowedError
    }

    /// In pixels, from 0.
    borrowing func pixels(_ place: Place) -> (x: [Double], y: [Double]) {
        switch place {
        case .barycentre: (sources.x, sources.y)
        case .windowed: (windowed(.xWin, else: sources.x), windowed(.yWin, else: sources.y))
        case .fitted: (self[.xPSF].first ?? constant(.nan), self[.yPSF].first ?? constant(.nan))
        case .peak: (sources.xcpeak.map(Double.init), sources.ycpeak.map(Double.init))
        }
    }

    /// Values under the window; those of the barycentre for sources with a flag.
    private borrowing func windowed(_ quantity: MeasuredQuantity, else barycentre: [Double]) -> [Double] {
        guard let values = self[quantity].first, let flags = self[.flagWin].first else { return constant(.nan) }
        return values.indices.map { flags[$0] > 0 ? barycentre[$0] : values[$0] }
    }

    /// Right ascension and declination, in degrees; pixel coordinates from 1 if the header has none.
    borrowing func world(_ place: Place) -> (longitude: [Double], latitude: [Double]) {
        let (x, y) = pixels(place)
        guard let wcs else { return (x.map { $0 + 1 }, y.map { $0 + 1 }) }
        let (rightAscension, declination) = wcs.coordinates(x: x, y: y)
        return (rightAscension, declination)
    }

    /// Right ascension and declination, in degrees; 0 if the header has none.
    borrowing func sky(_ place: Place) -> (longitude: [Double], latitude: [Double]) {
        wcs == nil ? (constant(0), constant(0)) : world(place)
    }

    /// Right ascension and declination, in degrees; 0 if the header has no coordinates.
    borrowing func equatorial(_ place: Place) -> (rightAscension: [Double], declination: [Double]) {
        guard let wcs else { return (constant(0), constant(0)) }
        let (x, y) = pixels(place)
        return wcs.coordinates(x: x, y: y)
    }

    /// In pixels squared.
    borrowing func moments(_ profile: Profile) -> [SecondMoments] {
        func zipped(_ x2: [Double], _ y2: [Double], _ xy: [Double]) -> [SecondMoments] {
            x2.indices.map { SecondMoments(x2: x2[$0], y2: y2[$0], xy: xy[$0]) }
        }
        switch profile {
        case .barycentre: return zipped(sources.x2, sources.y2, sources.xy)
        case .barycentreError: return zipped(sources.errx2, sources.erry2, sources.errxy)
        case .windowed:
            return zipped(
                windowed(.x2Win, else: sources.x2), windowed(.y2Win, else: sources.y2),
                windowed(.xyWin, else: sources.xy))
        case .windowedError:
            return zipped(
                windowed(.errX2Win, else: sources.errx2), windowed(.errY2Win, else: sources.erry2),
                windowed(.errXYWin, else: sources.errxy))
        }
    }

    /// From north towards east, in degrees; 0 if the header has no coordinates.
    borrowing func positionAngles(_ profile: Profile) -> [Double] {
        wcs == nil ? constant(0) : worldMoments(profile).map(\.positionAngle)
    }

    /// In degrees squared; in pixels squared if the header has no coordinates.
    borrowing func worldMoments(_ profile: Profile) -> [SecondMoments] {
        let moments = moments(profile)
        // Without coordinates, as in SExtractor, the world is the image.
        guard let wcs else { return moments }
        let isWindowed = [.windowed, .windowedError].contains(profile)
        let (x, y) = pixels(isWindowed ? .windowed : .barycentre)
        return zip(moments, wcs.scales(x: x, y: y)).map { $0.mapped($1) }
    }
}

extension CelestialWCS {
    /// The derivatives of right ascension and declination at positions, from differences over a pixel.
    func scales(x: [Double], y: [Double]) -> [LocalScale] {
        let left = coordinates(x: x.map { $0 - 0.5 }, y: y)
        let right = coordinates(x: x.map { $0 + 0.5 }, y: y)
        let lower = coordinates(x: x, y: y.map { $0 - 0.5 })
        let upper = coordinates(x: x, y: y.map { $0 + 0.5 })
        func difference(_ from: Double, _ to: Double) -> Double {
            (to - from).remainder(dividingBy: 360)
        }
        return x.indices.map { index in
            let shrink = cos((lower.declination[index] + upper.declination[index]) / 2 * .pi / 180)
            return LocalScale(
                xx: difference(left.rightAscension[index], right.rightAscension[index]) * shrink,
                xy: difference(lower.rightAscension[index], upper.rightAscension[index]) * shrink,
                yx: right.declination[index] - left.declination[index],
                yy: upper.declination[index] - lower.declination[index])
        }
    }
}
