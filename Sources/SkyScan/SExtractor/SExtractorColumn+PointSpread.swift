extension SExtractorColumn {
    /// Columns of fits of the point spread function.
    package static let pointSpread = table { table in
        table.add("XPSF_IMAGE", .double, "pixel", "F11.4", "X coordinate from PSF-fitting") {
            $0.one($0[.xPSF][0].map { $0 + 1 })
        }
        table.add("YPSF_IMAGE", .double, "pixel", "F11.4", "Y coordinate from PSF-fitting") {
            $0.one($0[.yPSF][0].map { $0 + 1 })
        }
        table.add("XPSF_WORLD", .double, "deg", "E18.10", "PSF position along world x axis") {
            $0.one($0.world(.fitted).longitude)
        }
        table.add("YPSF_WORLD", .double, "deg", "E18.10", "PSF position along world y axis") {
            $0.one($0.world(.fitted).latitude)
        }
        table.add("ALPHAPSF_SKY", .double, "deg", "F11.7", "Right ascension of the fitted PSF (native)") {
            $0.one($0.sky(.fitted).longitude)
        }
        table.add("DELTAPSF_SKY", .double, "deg", "F11.7", "Declination of the fitted PSF (native)") {
            $0.one($0.sky(.fitted).latitude)
        }
        table.add("ALPHAPSF_J2000", .double, "deg", "F11.7", "Right ascension of the fitted PSF (J2000)") {
            $0.one($0.equatorial(.fitted).rightAscension)
        }
        table.add("DELTAPSF_J2000", .double, "deg", "F11.7", "Declination of the fitted PSF (J2000)") {
            $0.one($0.equatorial(.fitted).declination)
        }
        table.add("FLUX_PSF", .float, "count", "G12.7", "Flux from PSF-fitting") { $0[.fluxPSF] }
        table.add("FLUXERR_PSF", .float, "count", "G12.7", "RMS flux error for PSF-fitting") { $0[.fluxErrPSF] }
        table.add("MAG_PSF", .float, "mag", "F8.4", "Magnitude from PSF-fitting") { $0.magnitudes($0[.fluxPSF]) }
        table.add("MAGERR_PSF", .float, "mag", "F8.4", "RMS magnitude error from PSF-fitting") {
            $0.magnitudeErrors($0[.fluxPSF], $0[.fluxErrPSF])
        }
        table.add("NITER_PSF", .int16, "", "I3", "Number of iterations for PSF-fitting") { $0[.iterationsPSF] }
        table.add("CHI2_PSF", .float, "", "G9.4", "Reduced chi2 from PSF-fitting") { $0[.chi2PSF] }
        table.add("ERRX2PSF_IMAGE", .double, "pixel**2", "E18.10", "Variance of PSF position along x") {
            $0[.errX2PSF]
        }
        table.add("ERRY2PSF_IMAGE", .double, "pixel**2", "E18.10", "Variance of PSF position along y") {
            $0[.errY2PSF]
        }
        table.add("ERRXYPSF_IMAGE", .double, "pixel**2", "E18.10", "Covariance of PSF position between x and y") {
            $0[.errXYPSF]
        }
        table.add("SPREAD_MODEL", .float, "", "G11.5", "Spread parameter from model-fitting") { $0[.spread] }
        table.add("SPREADERR_MODEL", .float, "", "G11.5", "Spread parameter error from model-fitting") {
            $0[.spreadErr]
        }
    }
}
