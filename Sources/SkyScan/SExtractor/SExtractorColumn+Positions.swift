extension SExtractorColumn {
    /// Columns of positions, in pixels from 1 and on the sky.
    package static let positions = pixelPositions + barycentres + windowedPositions + peaks

    private static let pixelPositions = table { table in
        table.add("XMIN_IMAGE", .int32, "pixel", "I10", "Minimum x-coordinate among detected pixels") {
            $0.one($0.boxes.map { Double($0.x.lowerBound + 1) })
        }
        table.add("YMIN_IMAGE", .int32, "pixel", "I10", "Minimum y-coordinate among detected pixels") {
            $0.one($0.boxes.map { Double($0.y.lowerBound + 1) })
        }
        table.add("XMAX_IMAGE", .int32, "pixel", "I10", "Maximum x-coordinate among detected pixels") {
            $0.one($0.boxes.map { Double($0.x.upperBound) })
        }
        table.add("YMAX_IMAGE", .int32, "pixel", "I10", "Maximum y-coordinate among detected pixels") {
            $0.one($0.boxes.map { Double($0.y.upperBound) })
        }
        table.add("XPEAK_IMAGE", .int32, "pixel", "I10", "x-coordinate of the brightest pixel") {
            $0.one($0.sources.xcpeak.map { Double($0) + 1 })
        }
        table.add("YPEAK_IMAGE", .int32, "pixel", "I10", "y-coordinate of the brightest pixel") {
            $0.one($0.sources.ycpeak.map { Double($0) + 1 })
        }
        table.add("X_IMAGE", .float, "pixel", "F11.4", "Object position along x") {
            $0.one($0.sources.x.map { $0 + 1 })
        }
        table.add("Y_IMAGE", .float, "pixel", "F11.4", "Object position along y") {
            $0.one($0.sources.y.map { $0 + 1 })
        }
        table.add("X_IMAGE_DBL", .double, "pixel", "F11.4", "Object position along x (double precision)") {
            $0.one($0.sources.x.map { $0 + 1 })
        }
        table.add("Y_IMAGE_DBL", .double, "pixel", "F11.4", "Object position along y (double precision)") {
            $0.one($0.sources.y.map { $0 + 1 })
        }
        table.add("XWIN_IMAGE", .double, "pixel", "F11.4", "Windowed position estimate along x") {
            $0.one($0.pixels(.windowed).x.map { $0 + 1 })
        }
        table.add("YWIN_IMAGE", .double, "pixel", "F11.4", "Windowed position estimate along y") {
            $0.one($0.pixels(.windowed).y.map { $0 + 1 })
        }
    }

    private static let barycentres = table {
        $0.addPosition(
            .barycentre, "", "Barycenter position along world x axis", "Barycenter position along world y axis",
            "Right ascension of barycenter (native)", "Declination of barycenter (native)",
            "Right ascension of barycenter (J2000)", "Declination of barycenter (J2000)")
    }

    private static let windowedPositions = table {
        $0.addPosition(
            .windowed, "WIN", "Windowed position along world x axis", "Windowed position along world y axis",
            "Windowed right ascension  (native)", "Windowed declination (native)",
            "Windowed right ascension (J2000)", "windowed declination (J2000)")
    }

    private static let peaks = table {
        $0.addPosition(
            .peak, "PEAK", "World-x coordinate of the brightest pixel", "World-y coordinate of the brightest pixel",
            "Right ascension of brightest pix (native)", "Declination of brightest pix (native)",
            "Right ascension of brightest pix (J2000)", "Declination of brightest pix (J2000)")
    }
}

extension [SExtractorColumn] {
    /// The six columns of a position in the sky, with their comments.
    fileprivate mutating func addPosition(_ place: SExtractorContext.Place, _ infix: String, _ comments: String...) {
        add("X\(infix)_WORLD", .double, "deg", "E18.10", comments[0]) { $0.one($0.world(place).longitude) }
        add("Y\(infix)_WORLD", .double, "deg", "E18.10", comments[1]) { $0.one($0.world(place).latitude) }
        add("ALPHA\(infix)_SKY", .double, "deg", "F11.7", comments[2]) { $0.one($0.sky(place).longitude) }
        add("DELTA\(infix)_SKY", .double, "deg", "F11.7", comments[3]) { $0.one($0.sky(place).latitude) }
        add("ALPHA\(infix)_J2000", .double, "deg", "F11.7", comments[4]) { $0.one($0.equatorial(place).rightAscension) }
        add("DELTA\(infix)_J2000", .double, "deg", "F11.7", comments[5]) { $0.one($0.equatorial(place).declination) }
    }
}
