internal import CSEP
internal import CSkyKernel
public import SkyFITS

/// The SEP library of this process.
public enum SEPVersion {
    /// Release with which the exact scan was compared with SEP runs over whole images.
    public static let verified = "1.2.1"

    // The C library of release 1.2.1 still reports 1.2.0.
    private static let reportedByVerified = ["1.2.0", "1.2.1"]

    /// Version that the loaded library reports.
    public static var current: String { sep_version_string.map { String(cString: $0) } ?? "unknown" }

    /// True if the loaded library reports the version of the verified one.
    public static var isVerified: Bool { warning(about: current) == nil }

    /// The warning for a user whose library reports `version`; nil for the verified one.
    public static func warning(about version: String = current) -> String? {
        if reportedByVerified.contains(version) { return nil }
        return "SEP \(version) is loaded, but only \(verified) was verified: the sources may differ from those of "
            + "an SEP run over the whole image; the catalogue's header says SEPVERIF = F"
    }

    /// True if libsep's random draw in deblending is fixed; otherwise no catalogue is exact. Found once, from the
    /// function that libraries of this process resolve, and from blends that libsep extracts.
    public static let drawIsFixed = skyfarm_draw_is_fixed() != 0 && (try? DrawCheck.deblendsAlike()) == true

    /// Refuses to scan with a random draw, which would make every blend depend on how the image is divided. Skyfarm's own
    /// kernel does not draw.
    /// - Throws: ``ScanSetupError``; also if the environment names an unknown kernel.
    public static func requireFixedDraw() throws(ScanSetupError) {
        try ScanKernel.requireKnown()
        if ScanKernel.current == .sep { try requireFixedDraw(isFixed: drawIsFixed) }
    }

    package static func requireFixedDraw(isFixed: Bool) throws(ScanSetupError) {
        if isFixed { return }
        throw ScanSetupError(
            "SEP's random draw is not Skyfarm's fixed one, so no catalogue would be exact; link SEP as a shared "
                + "library into a program that contains SkyImage")
    }
}
