public import ScanBasics

/// Why a cluster key cannot be used, with what to do about it. Never contains a byte of a key.
public typealias KeyError = CodedError<KeyErrorCode>

/// What went wrong; see ``KeyError``.
public enum KeyErrorCode: String, Sendable {
    /// The text is not a cluster key, or not all of one.
    case malformed
    /// Others can read or replace the key file.
    case exposed
    /// The key file belongs to another user.
    case foreign
    /// There is no key file.
    case missing
    /// The key file, or something it needs, cannot be read, written or made.
    case unusable
}
