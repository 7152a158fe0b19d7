/// A file or folder of a program, below a base folder that an environment variable may name.
package struct FileSpec: Sendable {
    package var variable: String
    /// The base folder, if the variable is not set.
    package var fallback: String
    /// Path relative to the base folder.
    package var path: String
    package var help: String

    package init(variable: String, fallback: String, path: String, help: String) {
        (self.variable, self.fallback, self.path, self.help) = (variable, fallback, path, help)
    }
}
