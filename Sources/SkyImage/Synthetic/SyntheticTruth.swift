import Foundation

/// The truth of a synthetic sky as comma-separated values.
public enum SyntheticTruth {
    /// The line of column names. `x` and `y` are 0-based pixels, `ra` and `dec` degrees, `flux` counts, `snr` as in
    /// ``SyntheticSky/truthDescription``, `scale_length` pixels.
    public static let header = "number,kind,x,y,ra,dec,mag,flux,snr,scale_length,axis_ratio\n"

    /// The line of one source of `sky`.
    public static func line(_ source: SyntheticSource, of sky: SyntheticSky) -> String {
        let position = sky.skyPosition(x: source.x, y: source.y)
        let numbers = [
            fixed(source.x, 4), fixed(source.y, 4), fixed(position.rightAscension, 8), fixed(position.declination, 8),
            fixed(source.magnitude, 4), fixed(source.flux, 2), fixed(source.signalToNoise, 2),
            fixed(source.scaleLength, 3), fixed(source.axisRatio, 3),
        ]
        return "\(source.number),\(source.kind.rawValue)," + numbers.joined(separator: ",") + "\n"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
