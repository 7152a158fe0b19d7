/// Columns of second moments of isophotal and windowed profiles, and of the errors of their positions.
extension SExtractorColumn {
    package static let shapes = isophotalShapes + windowedShapes

    private static let isophotalShapes = table { table in
        table.add(
            .barycentre, in: .image,
            [
                "Variance along x",
                "Variance along y",
                "Covariance between x and y",
                "Cxx object ellipse parameter",
                "Cyy object ellipse parameter",
                "Cxy object ellipse parameter",
                "Profile RMS along major axis",
                "Profile RMS along minor axis",
                "Position angle (CCW/x)",
                "(A_IMAGE^2 - B_IMAGE^2)/(A_IMAGE^2 + B_IMAGE^2)",
            ])
        table.add(
            .barycentreError, in: .image,
            [
                "Variance of position along x",
                "Variance of position along y",
                "Covariance of position between x and y",
                "Cxx error ellipse parameter",
                "Cyy error ellipse parameter",
                "Cxy error ellipse parameter",
                "RMS position error along major axis",
                "RMS position error along minor axis",
                "Error ellipse position angle (CCW/x)",
            ])
        table.add(
            .barycentre, in: .world,
            [
                "Variance along X-WORLD (alpha)",
                "Variance along Y-WORLD (delta)",
                "Covariance between X-WORLD and Y-WORLD",
                "Cxx object ellipse parameter (WORLD units)",
                "Cyy object ellipse parameter (WORLD units)",
                "Cxy object ellipse parameter (WORLD units)",
                "Profile RMS along major axis (world units)",
                "Profile RMS along minor axis (world units)",
                "Position angle (CCW/world-x)",
                "Position angle (east of north) (native)",
                "Position angle (east of north) (J2000)",
                "(A_WORLD^2 - B_WORLD^2)/(A_WORLD^2 + B_WORLD^2)",
            ])
        table.add(
            .barycentreError, in: .world,
            [
                "Variance of position along X-WORLD (alpha)",
                "Variance of position along Y-WORLD (delta)",
                "Covariance of position X-WORLD/Y-WORLD",
                "Cxx error ellipse parameter (WORLD units)",
                "Cyy error ellipse parameter (WORLD units)",
                "Cxy error ellipse parameter (WORLD units)",
                "World RMS position error along major axis",
                "World RMS position error along minor axis",
                "Error ellipse pos. angle (CCW/world-x)",
                "Native error ellipse pos. angle (east of north)",
                "J2000 error ellipse pos. angle (east of north)",
            ])
    }

    private static let windowedShapes = table { table in
        table.add(
            .windowed, in: .image,
            [
                "Windowed variance along x",
                "Windowed variance along y",
                "Windowed covariance between x and y",
                "Windowed Cxx object ellipse parameter",
                "Windowed Cyy object ellipse parameter",
                "Windowed Cxy object ellipse parameter",
                "Windowed profile RMS along major axis",
                "Windowed profile RMS along minor axis",
                "Windowed position angle (CCW/x)",
                "(AWIN^2 - BWIN^2)/(AWIN^2 + BWIN^2)",
            ])
        table.add(
            .windowedError, in: .image,
            [
                "Variance of windowed pos along x",
                "Variance of windowed pos along y",
                "Covariance of windowed pos between x and y",
                "Cxx windowed error ellipse parameter",
                "Cyy windowed error ellipse parameter",
                "Cxy windowed error ellipse parameter",
                "RMS windowed pos error along major axis",
                "RMS windowed pos error along minor axis",
                "Windowed error ellipse pos angle (CCW/x)",
            ])
        table.add(
            .windowed, in: .world,
            [
                "Windowed variance along X-WORLD (alpha)",
                "Windowed variance along Y-WORLD (delta)",
                "Windowed covariance between X-WORLD and Y-WORLD",
                "Windowed Cxx object ellipse parameter (WORLD units)",
                "Windowed Cyy object ellipse parameter (WORLD units)",
                "Windowed Cxy object ellipse parameter (WORLD units)",
                "Windowed profile RMS along major axis (world units)",
                "Windowed profile RMS along minor axis (world units)",
                "Windowed position angle (CCW/world-x)",
                "Windowed position angle (east of north) (native)",
                "Windowed position angle (east of north) (J2000)",
                "(AWIN^2 - BWIN^2)/(AWIN^2 + BWIN^2)",
            ])
        table.add(
            .windowedError, in: .world,
            [
                "Variance of windowed pos along X-WORLD (alpha)",
                "Variance of windowed pos along Y-WORLD (delta)",
                "Covariance of windowed pos X-WORLD/Y-WORLD",
                "Cxx windowed error ellipse parameter (WORLD units)",
                "Cyy windowed error ellipse parameter (WORLD units)",
                "Cxy windowed error ellipse parameter (WORLD units)",
                "World RMS windowed pos error along major axis",
                "World RMS windowed pos error along minor axis",
                "Windowed error ellipse pos. angle (CCW/world-x)",
                "Native windowed error ellipse pos. angle (east of north)",
                "J2000 windowed error ellipse pos. angle (east of north)",
            ])
    }
}

extension SExtractorContext.Profile {
    /// Parts of a column's name before and after the quantity.
    fileprivate var affixes: (prefix: String, suffix: String) {
        switch self {
        case .barycentre: ("", "")
        case .barycentreError: ("ERR", "")
        case .windowed: ("", "WIN")
        case .windowedError: ("ERR", "WIN")
        }
    }

    fileprivate var isError: Bool { affixes.prefix == "ERR" }
}

/// A quantity that is derived from second moments.
private struct MomentColumn: Sendable {
    var name: String
    var kind: SExtractorColumn.Kind
    /// Power of the unit of length, or nil for quantities with another unit.
    var power: String?
    var unit = ""
    /// TDISP format for profiles; ``errorDisplay`` is the one for errors.
    var display: String
    var errorDisplay: String
    var value: @Sendable (SecondMoments) -> Double

    /// Format for axes in degrees on the sky.
    private static let worldAxis = "G12.7"

    init(
        _ name: String, kind: SExtractorColumn.Kind = .float, power: String? = nil, unit: String = "",
        _ display: String, error errorDisplay: String? = nil, _ value: @escaping @Sendable (SecondMoments) -> Double
    ) {
        (self.name, self.kind, self.power, self.unit) = (name, kind, power, unit)
        (self.display, self.errorDisplay, self.value) = (display, errorDisplay ?? display, value)
    }

    /// Quantities in SExtractor's order; the last one is defined for profiles only.
    static let all = [
        MomentColumn("X2", kind: .double, power: "**2", "E18.10") { $0.x2 },
        MomentColumn("Y2", kind: .double, power: "**2", "E18.10") { $0.y2 },
        MomentColumn("XY", kind: .double, power: "**2", "E18.10") { $0.xy },
        MomentColumn("CXX", power: "**(-2)", "E15.7", error: "G12.7") { $0.coefficients.cxx },
        MomentColumn("CYY", power: "**(-2)", "E15.7", error: "G12.7") { $0.coefficients.cyy },
        MomentColumn("CXY", power: "**(-2)", "E15.7", error: "G12.7") { $0.coefficients.cxy },
        MomentColumn("A", power: "", "F9.3", error: "F9.5") { $0.a },
        MomentColumn("B", power: "", "F9.3", error: "F9.5") { $0.b },
        MomentColumn("THETA", unit: "deg", "F6.2") { $0.theta },
        MomentColumn("POLAR", "F7.5") { $0.polarization },
    ]

    func display(_ isError: Bool, in frame: Frame) -> String {
        if frame == .world, power == "" { return Self.worldAxis }
        return isError ? errorDisplay : display
    }
}

/// Coordinate system of moments.
private enum Frame {
    case image, world

    var name: String { self == .image ? "IMAGE" : "WORLD" }
    var unit: String { self == .image ? "pixel" : "deg" }
}

extension [SExtractorColumn] {
    /// Adds the columns of the moments of a profile. In world coordinates, position angles on the sky follow the angle.
    fileprivate mutating func add(_ profile: SExtractorContext.Profile, in frame: Frame, _ comments: [String]) {
        let (prefix, suffix) = profile.affixes
        var comments = comments[...]
        for column in MomentColumn.all {
            guard let comment = comments.popFirst() else { return }
            let unit = column.power.map { frame.unit + $0 } ?? column.unit
            add(
                "\(prefix)\(column.name)\(suffix)_\(frame.name)", column.kind, unit,
                column.display(profile.isError, in: frame), comment
            ) { context in
                let moments = frame == .image ? context.moments(profile) : context.worldMoments(profile)
                return context.one(moments.map(column.value))
            }
            guard frame == .world, column.name == "THETA" else { continue }
            for equinox in ["SKY", "J2000"] {
                guard let comment = comments.popFirst() else { return }
                add("\(prefix)THETA\(suffix)_\(equinox)", .float, "deg", "F6.2", comment) {
                    $0.one($0.positionAngles(profile))
                }
            }
        }
    }
}
