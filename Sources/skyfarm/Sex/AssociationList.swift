import CommandLineKit
import Foundation
import SkyExtraction
import SkyScan

/// The list of positions of SExtractor's ASSOC keys, which is read only if a column needs it.
struct AssociationList: Equatable, Sendable {
    private var path: String
    /// What named the list, for errors.
    private var origin: String
    private var keys: [Int]
    private var data: [Int]
    private var isCelestial: Bool
    private var radius: Double
    private var rule: Association.Rule
    private var selection: Association.Selection

    private static let mostColumns = 1000

    /// The values of the ASSOC keys.
    /// - Throws: `UsageError` that names the key of a value that cannot be used.
    init(_ configuration: SexConfiguration) throws(UsageError) {
        path = try configuration.text("ASSOC_NAME")
        origin = configuration["ASSOC_NAME"].origin
        keys = try configuration.integers("ASSOC_PARAMS", 1...Self.mostColumns, most: 3)
        guard keys.count >= 2 else {
            throw UsageError("\(configuration["ASSOC_PARAMS"].origin): needs the columns of x and of y")
        }
        data = try configuration.integers("ASSOC_DATA", 0...Self.mostColumns, most: Self.mostColumns)
        guard data == [0] || !data.contains(0) else {
            throw UsageError("\(configuration["ASSOC_DATA"].origin): 0 stands for all columns, and must be alone")
        }
        isCelestial = try configuration.choice("ASSOCCOORD_TYPE", ["PIXEL": false, "WORLD": true])
        radius = try configuration.number("ASSOC_RADIUS", 0...1e6)
        rule = try configuration.choice(
            "ASSOC_TYPE",
            [
                "FIRST": .first, "NEAREST": .nearest, "MEAN": .mean, "MAG_MEAN": .magnitudeMean, "SUM": .sum,
                "MAG_SUM": .magnitudeSum, "MIN": .minimum, "MAX": .maximum,
            ])
        selection = try configuration.choice(
            "ASSOCSELEC_TYPE", ["ALL": .all, "MATCHED": .matched, "-MATCHED": .unmatched])
    }

    /// Reads the list.
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

extension SexConfiguration {
    /// PHOT_PETROPARAMS.
    func petrosian() throws(UsageError) -> MeasurementRequest.Petrosian {
        let setting = self["PHOT_PETROPARAMS"]
        guard setting.words.count == 2 else { throw UsageError("\(setting.origin): needs two numbers") }
        let numbers = try self.numbers("PHOT_PETROPARAMS", 0...20, most: 2)
        guard ScanParameters.Limits.kronFactor.contains(numbers[0]) else {
            throw UsageError("\(setting.origin): the factor must be 0.1 to 20, not \(plainText(numbers[0]))")
        }
        var petrosian = MeasurementRequest.Petrosian()
        (petrosian.factor, petrosian.minimum) = (numbers[0], numbers[1])
        return petrosian
    }
}
