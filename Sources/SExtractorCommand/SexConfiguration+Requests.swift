import CommandLineKit
import ImageScanning
import SkyExtraction
import SkyScan

extension SexConfiguration {
    private static let mostColumns = 1000

    /// Returns the list of positions of the ASSOC keys.
    /// - Throws: `UsageError` that names the key of an invalid value.
    func associations() throws(UsageError) -> AssociationList {
        var list = AssociationList()
        list.path = try text("ASSOC_NAME")
        list.origin = self["ASSOC_NAME"].origin
        list.keys = try integers("ASSOC_PARAMS", 1...Self.mostColumns, most: 3)
        guard list.keys.count >= 2 else {
            throw UsageError("\(self["ASSOC_PARAMS"].origin): needs the columns of x and of y")
        }
        list.data = try integers("ASSOC_DATA", 0...Self.mostColumns, most: Self.mostColumns)
        guard list.data == [0] || !list.data.contains(0) else {
            throw UsageError("\(self["ASSOC_DATA"].origin): 0 stands for all columns, and must be alone")
        }
        list.isCelestial = try choice("ASSOCCOORD_TYPE", ["PIXEL": false, "WORLD": true])
        list.radius = try number("ASSOC_RADIUS", 0...1e6)
        list.rule = try choice(
            "ASSOC_TYPE",
            [
                "FIRST": .first, "NEAREST": .nearest, "MEAN": .mean, "MAG_MEAN": .magnitudeMean, "SUM": .sum,
                "MAG_SUM": .magnitudeSum, "MIN": .minimum, "MAX": .maximum,
            ])
        list.selection = try choice("ASSOCSELEC_TYPE", ["ALL": .all, "MATCHED": .matched, "-MATCHED": .unmatched])
        return list
    }

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
