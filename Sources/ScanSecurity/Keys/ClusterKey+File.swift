import Foundation

extension ClusterKey {
    /// Reads the text of a key from an open file or pipe, to its end; errors refer to it as `name`.
    /// - Throws: ``KeyErrorCode/malformed`` if the text is not a key, ``KeyErrorCode/unusable`` if it cannot be read.
    public static func read(from descriptor: Int32, name: String) throws(KeyError) -> ClusterKey {
        let text = try SecretFile.readAll(descriptor, name)
        do throws(KeyError) {
            return try ClusterKey.read(text)
        } catch {
            throw KeyError(error.code, "\(name): \(error.message)")
        }
    }

    /// Writes the text of the key to a new file that only its owner can read.
    /// - Throws: ``KeyErrorCode/unusable`` if the file exists or cannot be written,
    ///   ``KeyErrorCode/exposed`` if others could replace it.
    public func export(to path: String) throws(KeyError) {
        guard try SecretFile.write(fileText, to: path, replacing: false) else {
            throw KeyError(.unusable, "\(path) exists: choose another name, or remove it")
        }
    }
}
