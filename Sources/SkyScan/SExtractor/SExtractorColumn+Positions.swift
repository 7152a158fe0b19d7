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

    private static let barycentres = table { table in
        table.add("X_WORLD", .double, "deg", "E18.10", "Barycenter position along world x axis") {
            $0.one($0.world(.barycentre).longitude)
        }
        table.add("Y_WORLD", .double, "deg", "E18.10", "Barycenter position along world y axis") {
            $0.one($0.world(.barycentre).latitude)
        }
        table.add("ALPHA_SKY", .double, "deg", "F11.7", "Right ascension of barycenter (native)") {
            $0.one($0.sky(.barycentre).longitude)
        }
        table.add("DELTA_SKY", .double, "deg", "F11.7", "Declination of barycenter (native)") {
            $0.one($0.sky(.barycentre).latitude)
        }
        table.add("ALPHA_J2000", .double, "deg", "F11.7", "Right ascension of barycenter (J2000)") {
            $0.one($0.equatorial(.barycentre).rightAscension)
        }
        table.add("DELTA_J2000", .double, "deg", "F11.7", "Declination of barycenter (J2000)") {
            $0.one($0.equatorial(.barycentre).declination)
        }
    }

    private static let windowedPositions = table { table in
        table.add("XWIN_WORLD", .double, "deg", "E18.10", "Windowed position along world x axis") {
            $0.one($0.world(.windowed).longitude)
        }
        table.add("YWIN_WORLD", .double, "deg", "E18.10", "Windowed position along world y axis") {
            $0.one($0.world(.windowed).latitude)
        }
        table.add("ALPHAWIN_SKY", .double, "deg", "F11.7", "Windowed right ascension  (native)") {
            $0.one($0.sky(.windowed).longitude)
        }
        table.add("DELTAWIN_SKY", .double, "deg", "F11.7", "Windowed declination (native)") {
            $0.one($0.sky(.windowed).latitude)
        }
        table.add("ALPHAWIN_J2000", .double, "deg", "F11.7", "Windowed right ascension (J2000)") {
            $0.one($0.equatorial(.windowed).rightAscension)
        }
        table.add("DELTAWIN_J2000", .double, "deg", "F11.7", "windowed declination (J2000)") {
            $0.one($0.equatorial(.windowed).declination)
        }
    }

    private static let peaks = table { table in
        table.add("XPEAK_WORLD", .double, "deg", "E18.10", "World-x coordinate of the brightest pixel") {
            $0.one($0.world(.peak).longitude)
        }
        table.add("YPEAK_WORLD", .double, "deg", "E18.10", "World-y coordinate of the brightest pixel") {
            $0.one($0.world(.peak).latitude)
        }
        table.add("ALPHAPEAK_SKY", .double, "deg", "F11.7", "Right ascension of brightest pix (native)") {
            $0.one($0.sky(.peak).longitude)
        }
        table.add("DELTAPEAK_SKY", .double, "deg", "F11.7", "Declination of brightest pix (native)") {
            $0.one($0.sky(.peak).latitude)
        }
        table.add("ALPHAPEAK_J2000", .double, "deg", "F11.7", "Right ascension of brightest pix (J2000)") {
            $0.one($0.equatorial(.peak).rightAscension)
        }
        table.add("DELTAPEAK_J2000", .double, "deg", "F11.7", "Declination of brightest pix (J2000)") {
            $0.one($0.equatorial(.peak).declination)
        }
    }
}
