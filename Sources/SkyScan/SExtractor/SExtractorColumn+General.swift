extension SExtractorColumn {
    /// Columns of identity, flags, levels, areas and extent.
    static let general = identities + levels + areas + extents

    private static let identities = table { table in
        table.add("NUMBER", .int32, "", "I10", "Running object number") { $0.one($0.numbers) }
        table.add("ID_PARENT", .int32, "", "I10", "Parent ID (before deblending)") { $0.one($0.parents) }
        table.add("EXT_NUMBER", .int16, "", "I3", "FITS extension number") {
            $0.one($0.constant(Double($0.extensionNumber)))
        }
        table.add("FLAGS", .int16, "", "I3", "Extraction flags") { $0.one($0.flags) }
        table.add("FLAGS_WIN", .int16, "", "I3", "Flags for WINdowed parameters") { $0[.flagWin] }
        table.add("NITER_WIN", .int16, "", "I3", "Number of iterations for WIN centering") { $0[.iterationsWin] }
        table.add("FLAGS_WEIGHT", .int16, "", "I1", "Weighted extraction flags") { $0.one($0.constant(0)) }
    }

    private static let levels = table { table in
        table.add("BACKGROUND", .float, "count", "G12.7", "Background at centroid position") {
            $0.one($0.totalBackground)
        }
        table.add("THRESHOLD", .float, "count", "G12.7", "Detection threshold above background") {
            $0.one($0.sources.thresh.map(Double.init))
        }
        table.add("FLUX_MAX", .float, "count", "G12.7", "Peak flux above background") {
            $0.one($0.peaks)
        }
        table.add("MU_MAX", .float, "mag * arcsec**(-2)", "F8.4", "Peak surface brightness above background") {
            $0.one($0.surfaceBrightness($0.peaks))
        }
        table.add("MU_THRESHOLD", .float, "mag * arcsec**(-2)", "F8.4", "Analysis threshold above background") {
            $0.one($0.surfaceBrightness($0.analysisThresholds))
        }
    }

    private static let areas = table { table in
        table.add("ISOAREA_IMAGE", .int32, "pixel**2", "I9", "Isophotal area above Analysis threshold") {
            $0.one($0[.isoAreas][0])
        }
        table.add("ISOAREAF_IMAGE", .int32, "pixel**2", "I9", "Isophotal area (filtered) above Detection threshold") {
            $0.one($0.areas)
        }
        table.add("ISOAREA_WORLD", .float, "deg**2", "G12.7", "Isophotal area above Analysis threshold") {
            $0.one($0.worldAreas($0[.isoAreas][0]))
        }
        table.add("ISOAREAF_WORLD", .float, "deg**2", "G12.7", "Isophotal area (filtered) above Detection threshold") {
            $0.one($0.worldAreas($0.areas))
        }
        for level in 0..<8 {
            table.add("ISO\(level)", .int32, "pixel**2", "I8", "Isophotal area at level \(level)") {
                $0.one($0[.isoAreas][level])
            }
        }
    }

    private static let extents = table { table in
        table.add("FWHM_IMAGE", .float, "pixel", "F8.2", "FWHM assuming a gaussian core") { $0[.fwhm] }
        table.add("FWHM_WORLD", .float, "deg", "G12.7", "FWHM assuming a gaussian core") {
            $0.one($0[.fwhm][0].map { [scale = $0.pixelScale] in $0 * scale / 3600 })
        }
        table.add("ELONGATION", .float, "", "F8.3", "A_IMAGE/B_IMAGE") {
            $0.one(zip($0.sources.a, $0.sources.b).map { Double($0) / Double($1) })
        }
        table.add("ELLIPTICITY", .float, "", "F8.3", "1 - B_IMAGE/A_IMAGE") {
            $0.one(zip($0.sources.a, $0.sources.b).map { 1 - Double($1) / Double($0) })
        }
        table.add("FLUX_RADIUS", .float, "pixel", "F10.3", "Fraction-of-light radii") { $0[.fluxRadius] }
        table.add("KRON_RADIUS", .float, "", "F5.2", "Kron apertures in units of A or B") { $0.one($0.kronRadii) }
        table.add("PETRO_RADIUS", .float, "", "F5.2", "Petrosian apertures in units of A or B") {
            $0.one($0.petrosianRadii)
        }
        table.add("VECTOR_ASSOC", .double, "", "G12.7", "ASSOCiated parameter vector") { $0.associatedValues }
        table.add("NUMBER_ASSOC", .int32, "", "I10", "Number of ASSOCiated IDs") { $0.one($0.associationCounts) }
        table.add("CLASS_STAR", .float, "", "F6.3", "S/G classifier output") { $0.one($0.stellarity) }
        table.add("VIGNET", .float, "count", "G12.7", "Pixel data around detection") { _ in [] }
        table.add("IMAFLAGS_ISO", .int32, "", "I9", "FLAG-image flags OR'ed over the iso. profile") {
            $0.one($0.imageFlags?.values ?? $0.constant(0))
        }
        table.add("NIMAFLAGS_ISO", .int32, "", "I9", "Number of flagged pixels entering IMAFLAGS_ISO") {
            $0.one($0.imageFlags?.counts ?? $0.constant(0))
        }
    }
}
