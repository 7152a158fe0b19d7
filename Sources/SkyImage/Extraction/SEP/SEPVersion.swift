internal import CSEP
internal import CSkyfarm

/// The SEP library of this process.
public enum SEPVersion {
    /// Version with which the seamless scan was verified against whole-image runs.
    public static let verified = "1.2.1"

    /// Version of the library that is loaded.
    public static var current: String { sep_version_string.map { String(cString: $0) } ?? "unknown" }

    /// True when the loaded library is the verified one.
    public static var isVerified: Bool { current == verified }

    /// True when deblending's draw is the fixed one, as libsep itself sees it; no catalogue is exact without.
    public static var drawIsFixed: Bool { skyfarm_draw_is_fixed() != 0 }
}
