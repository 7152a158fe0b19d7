import CommandLineKit
import SkyExtraction
import SkyScan

extension AssociationList {
    private static let mostColumns = 1000

    /// Creates the list from the values of the ASSOC keys.
    /// - Throws: `UsageError` that names the key of an invalid value.
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
}

extension SexConfiguration {
    /// Returns the value of PHOT_PETROPARAMS.
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
