/// Properties of this build.
public enum Skyfarm {
    /// Version of the software, as nodes report it to each other.
    public static let version = "0.1.0"
}
