internal import CElementary
internal import Foundation
internal import SkyFITS
internal import SkyMeasurement

extension SExtractorContext {
    /// A kind of position of a source.
    package enum Place {
        case barycentre, windowed, peak, fitted
    }

    /// A kind of second moments of a source.
    package enum Profile {
        case barycentre, barycentreError, windowed, windowedError
    }

    /// Returns positions in pixels from 0.
    package borrowing func pixels(_ place: Place) -> (x: [Double], y: [Double]) {
        switch place {
        case .barycentre: (sources.x, sources.y)
        case .windowed: (windowed(.xWin, else: sources.x), windowed(.yWin, else: sources.y))
        case .fitted: (self[.xPSF].first ?? constant(.nan), self[.yPSF].first ?? constant(.nan))
        case .peak: (sources.xcpeak.map(Double.init), sources.ycpeak.map(Double.init))
        }
    }

    /// Returns windowed values, or those of the barycentre for sources with a flag.
    private borrowing func windowed(_ quantity: MeasuredQuantity, else barycentre: [Double]) -> [Double] {
        guard let values = self[quantity].first, let flags = self[.flagWin].first else { return constant(.nan) }
        return values.indices.map { flags[$0] > 0 ? barycentre[$0] : values[$0] }
    }

    /// Returns right ascension and declination in degrees, or pixel coordinates from 1 if the header has no
    /// coordinates.
    borrowing func world(_ place: Place) -> (longitude: [Double], latitude: [Double]) {
        let (x, y) = pixels(place)
        guard let wcs else { return (x.map { $0 + 1 }, y.map { $0 + 1 }) }
        let (rightAscension, declination) = wcs.coordinates(x: x, y: y)
        return (rightAscension, declination)
    }

    /// Returns right ascension and declination in degrees, or 0 if the header has no coordinates.
    package borrowing func sky(_ place: Place) -> (longitude: [Double], latitude: [Double]) {
        wcs == nil ? (constant(0), constant(0)) : world(place)
    }

    /// Returns right ascension and declination in degrees, or 0 if the header has no coordinates.
    borrowing func equatorial(_ place: Place) -> (rightAscension: [Double], declination: [Double]) {
        guard let wcs else { return (constant(0), constant(0)) }
        let (x, y) = pixels(place)
        return wcs.coordinates(x: x, y: y)
    }

    /// Returns second moments in pixels squared.
    package borrowing func moments(_ profile: Profile) -> [SecondMoments] {
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

    /// Returns position angles from north towards east in degrees, or 0 if the header has no coordinates.
    borrowing func positionAngles(_ profile: Profile) -> [Double] {
        wcs == nil ? constant(0) : worldMoments(profile).map(\.positionAngle)
    }

    /// Returns second moments in degrees squared, or in pixels squared if the header has no coordinates.
    borrowing func worldMoments(_ profile: Profile) -> [SecondMoments] {
        let moments = moments(profile)
        // As in SExtractor, world coordinates are image coordinates if the header has none.
        guard let wcs else { return moments }
        let isWindowed = [.windowed, .windowedError].contains(profile)
        let (x, y) = pixels(isWindowed ? .windowed : .barycentre)
        return zip(moments, wcs.scales(x: x, y: y)).map { $0.mapped($1) }
    }
}

extension CelestialWCS {
    /// Returns the derivatives of positions on the sky along the parallel and the meridian, from differences over a
    /// pixel.
    package func scales(x: [Double], y: [Double]) -> [LocalScale] {
        let (longitude, latitude) = coordinates(x: x, y: y)
        let left = directions(x: x.map { $0 - 0.5 }, y: y)
        let right = directions(x: x.map { $0 + 0.5 }, y: y)
        let lower = directions(x: x, y: y.map { $0 - 0.5 })
        let upper = directions(x: x, y: y.map { $0 + 0.5 })
        return x.indices.map { index in
            // Computed with vectors, since right ascensions may change by any amount within a pixel near a pole.
            let frame = SkyFrame(longitude: longitude[index], latitude: latitude[index])
            let across = frame.components(from: left[index], to: right[index])
            let along = frame.components(from: lower[index], to: upper[index])
            return LocalScale(xx: across.east, xy: along.east, yx: across.north, yy: along.north)
        }
    }

    /// Returns the unit vectors of positions.
    private func directions(x: [Double], y: [Double]) -> [SIMD3<Double>] {
        let (longitude, latitude) = coordinates(x: x, y: y)
        return zip(longitude, latitude).map { SkyFrame(longitude: $0, latitude: $1).direction }
    }
}

/// The directions of east and north at a position given in degrees.
private struct SkyFrame {
    var direction: SIMD3<Double>
    private var east: SIMD3<Double>
    private var north: SIMD3<Double>

    init(longitude: Double, latitude: Double) {
        let (a, d) = (longitude * .pi / 180, latitude * .pi / 180)
        let (sineA, cosineA) = (Elementary.sin(a), Elementary.cos(a))
        let (sineD, cosineD) = (Elementary.sin(d), Elementary.cos(d))
        direction = SIMD3(cosineD * cosineA, cosineD * sineA, sineD)
        east = SIMD3(-sineA, cosineA, 0)
        north = SIMD3(-sineD * cosineA, -sineD * sineA, cosineD)
    }

    /// Returns the difference of two directions near this position, in degrees.
    func components(from: SIMD3<Double>, to: SIMD3<Double>) -> (east: Double, north: Double) {
        let difference = to - from
        return ((difference * east).sum() * 180 / .pi, (difference * north).sum() * 180 / .pi)
    }
}
