internal import CSEP
internal import CSkyfarm

/// The SEP library of this process.
public enum SEPVersion {
    /// Release with which the seamless scan was verified against whole-image runs.
    public static let verified = "1.2.1"

    // The C library of release 1.2.1 still calls itself 1.2.0.
    private static let reportedByVerified = ["1.2.0", "1.2.1"]

    /// Version that the loaded library reports.
    public static var current: String { sep_version_string.map { String(cString: $0) } ?? "unknown" }

    /// True when the loaded library is the verified one, as far as it can be told.
    public static var isVerified: Bool { warning(about: current) == nil }

    /// What a user should know before a scan with the library that reports `version`; nil of the verified one.
    public static func warning(about version: String = current) -> String? {
        if reportedByVerified.contains(version) { return nil }
        return "SEP \(version) is loaded, but only \(verified) was verified: the sources may differ from those of a "
            + "whole-image run; the catalogue's header says SEPVERIF = F"
    }

    /// True when deblending's draw is the fixed one, as libsep itself sees it; no catalogue is exact without.
    public static var drawIsFixed: Bool { skyfarm_draw_is_fixed() != 0 }

    /// Refuses to scan with a random draw, with which every blend would depend on how the image is cut.
    /// - Throws: ``ScanSetupError``.
    public static func requireFixedDraw() throws(ScanSetupError) { try requireFixedDraw(isFixed: drawIsFixed) }

    static func requireFixedDraw(isFixed: Bool) throws(ScanSetupError) {
        if isFixed { return }
        throw ScanSetupError(
            "SEP's random draw is not Skyfarm's fixed one, so no catalogue would be exact; link SEP as a shared "
                + "library into a program that contains SkyImage")
    }
}
