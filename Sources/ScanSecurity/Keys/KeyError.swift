public import ScanBasics

/// A reason why a cluster key cannot be used, with the remedy. Never contains a byte of a key.
public typealias KeyError = CodedError<KeyErrorCode>

/// The kind of a ``KeyError``.
public enum KeyErrorCode: String, Sendable {
    /// The text is not a complete cluster key.
    case malformed
    /// Others can read or replace the key file.
    case exposed
    /// The key file belongs to another user.
    case foreign
    /// There is no key file.
    case missing
    /// The key file, or something it needs, cannot be read, written or created.
    case unusable
}
