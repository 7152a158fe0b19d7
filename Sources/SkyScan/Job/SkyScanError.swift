/// Why a sky scan ended without a usable result.
public struct SkyScanError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Cause and remedy in one line.
    public let description: String

    init(_ description: String) { self.description = description }
}
