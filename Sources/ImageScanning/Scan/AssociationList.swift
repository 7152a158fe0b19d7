import CommandLineKit
import Foundation
package import SkyScan

/// The list of positions of SExtractor's ASSOC keys, which is read only if a column needs it.
package struct AssociationList: Equatable, Sendable {
    package var path = ""
    /// The flag or the setting that names the file, for error messages.
    package var origin = ""
    package var keys: [Int] = []
    package var data: [Int] = []
    package var isCelestial = false
    package var radius = 0.0
    package var rule = Association.Rule.nearest
    package var selection = Association.Selection.matched

    package init() {}

    /// Reads the positions from the file at `path`.
    /// - Throws: `UsageError` that names the file and the line.
    func load() throws(UsageError) -> Association {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                "\(origin): \(path): cannot be read; VECTOR_ASSOC and NUMBER_ASSOC need a list of positions")
        }
        do {
            var association = try Association(
                parsing: String(decoding: contents, as: UTF8.self), name: path, keys: keys, data: data)
            (association.isCelestial, association.radius) = (isCelestial, radius)
            (association.rule, association.selection) = (rule, selection)
            return association
        } catch {
            throw UsageError("\(error)")
        }
    }
}
