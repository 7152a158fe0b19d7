/// How the values of a pixel become one.
package enum StackMethod: Equatable, Sendable {
    /// The middle value, or the mean of the two middle ones.
    case median
    case mean
    /// The mean of the values within `sigma` standard deviations of the median. This is repeated with the values that are
    /// left until none is rejected, or `iterations` times.
    case clip(sigma: Double, iterations: Int?)

    /// The name on the command line and in headers.
    package var name: String {
        switch self {
        case .median: "median"
        case .mean: "mean"
        case .clip: "clip"
        }
    }
}
