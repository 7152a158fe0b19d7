internal import ScanBasics

/// The truth of a synthetic sky as comma-separated values.
public enum SyntheticTruth {
    /// The line of column names. `x` and `y` are 0-based pixels, `ra` and `dec` are in degrees, `flux` in counts,
    /// `scale_length` in pixels; for `snr` see ``SyntheticSky/truthDescription``.
    public static let header = "number,kind,x,y,ra,dec,mag,flux,snr,scale_length,axis_ratio\n"

    /// Formats a source of `sky` as one line.
    public static func line(_ source: SyntheticSource, of sky: SyntheticSky) -> String {
        let position = sky.skyPosition(x: source.x, y: source.y)
        let numbers = [
            source.x.fixed(4), source.y.fixed(4), position.rightAscension.fixed(8), position.declination.fixed(8),
            source.magnitude.fixed(4), source.flux.fixed(2), source.signalToNoise.fixed(2),
            source.scaleLength.fixed(3), source.axisRatio.fixed(3),
        ]
        return "\(source.number),\(source.kind.rawValue)," + numbers.joined(separator: ",") + "\n"
    }
}
