internal import CElementary

/// Conversion between galactic and ICRS coordinates, with astropy's constants and order of rotations.
///
/// Galactic coordinates are rotated to FK5 (J2000) with the position of the pole and the node, then to ICRS with the
/// frame bias.
enum GalacticFrame {
    /// Right ascension and declination of the north galactic pole in FK5 J2000, in degrees.
    private static let pole = (rightAscension: 192.8594812065348, declination: 27.12825118085622)
    /// Galactic longitude of the FK5 J2000 north pole, in degrees.
    private static let node = 122.9319185680026
    /// Bias of FK5 J2000 with respect to ICRS about the x, y and z axes, in milliarcseconds (Mignard and Froeschlé
    /// 2000).
    private static let bias = (eta: -19.9, xi: 9.1, alpha: -22.9)

    private static let toICRS: [[Double]] = {
        let toGalactic =
            rotation(180 - node, axis: 2) * rotation(90 - pole.declination, axis: 1)
            * rotation(pole.rightAscension, axis: 2)
        let degrees = 1 / 3_600_000.0
        let toFK5 =
            rotation(-bias.eta * degrees, axis: 0) * rotation(bias.xi * degrees, axis: 1)
            * rotation(bias.alpha * degrees, axis: 2)
        return transposed(toFK5) * transposed(toGalactic)
    }()

    /// Converts galactic coordinates to ICRS right ascension and declination, all in degrees.
    static func equatorial(longitude: Double, latitude: Double) -> (longitude: Double, latitude: Double) {
        turned(longitude, latitude, toICRS)
    }

    /// Converts ICRS coordinates to galactic longitude and latitude, all in degrees.
    static func galactic(rightAscension: Double, declination: Double) -> (longitude: Double, latitude: Double) {
        turned(rightAscension, declination, transposed(toICRS))
    }

    private static func turned(
        _ longitude: Double, _ latitude: Double, _ matrix: [[Double]]
    ) -> (longitude: Double, latitude: Double) {
        let (l, b) = (longitude * .pi / 180, latitude * .pi / 180)
        let cosine = Elementary.cos(b)
        let vector = [cosine * Elementary.cos(l), cosine * Elementary.sin(l), Elementary.sin(b)]
        let turned = matrix.map { row in row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] }
        return (
            Elementary.atan2(turned[1], turned[0]) * 180 / .pi,
            Elementary.atan2(turned[2], (turned[0] * turned[0] + turned[1] * turned[1]).squareRoot()) * 180 / .pi
        )
    }

    /// Returns the matrix that rotates the coordinate axes about `axis` by `angle` degrees.
    private static func rotation(_ angle: Double, axis: Int) -> [[Double]] {
        let (sine, cosine) = (Elementary.sin(angle * .pi / 180), Elementary.cos(angle * .pi / 180))
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3)
        var matrix = [[Double]](repeating: [0, 0, 0], count: 3)
        matrix[axis][axis] = 1
        matrix[first][first] = cosine
        matrix[first][second] = sine
        matrix[second][first] = -sine
        matrix[second][second] = cosine
        return matrix
    }

    private static func transposed(_ matrix: [[Double]]) -> [[Double]] {
        (0..<3).map { column in matrix.map { $0[column] } }
    }
}

private func * (left: [[Double]], right: [[Double]]) -> [[Double]] {
    left.map { row in
        (0..<3).map { column in row[0] * right[0][column] + row[1] * right[1][column] + row[2] * right[2][column] }
    }
}
