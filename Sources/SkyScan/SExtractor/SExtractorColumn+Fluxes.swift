extension SExtractorColumn {
    /// Columns of fluxes and magnitudes.
    package static let fluxes = table { table in
        table.add("FLUX_ISO", .float, "count", "G12.7", "Isophotal flux") { $0.one($0.fluxIso) }
        table.add("FLUXERR_ISO", .float, "count", "G12.7", "RMS error for isophotal flux") { $0.one($0.fluxErrIso) }
        table.add("MAG_ISO", .float, "mag", "F8.4", "Isophotal magnitude") { $0.magnitudes($0.one($0.fluxIso)) }
        table.add("MAGERR_ISO", .float, "mag", "F8.4", "RMS error for isophotal magnitude") {
            $0.magnitudeErrors($0.one($0.fluxIso), $0.one($0.fluxErrIso))
        }
        table.add("FLUX_ISOCOR", .float, "count", "G12.7", "Corrected isophotal flux") { $0.one($0.fluxIsoCor) }
        table.add("FLUXERR_ISOCOR", .float, "count", "G12.7", "RMS error for corrected isophotal flux") {
            $0.one($0.fluxErrIsoCor)
        }
        table.add("MAG_ISOCOR", .float, "mag", "F8.4", "Corrected isophotal magnitude") {
            $0.magnitudes($0.one($0.fluxIsoCor))
        }
        table.add("MAGERR_ISOCOR", .float, "mag", "F8.4", "RMS error for corrected isophotal magnitude") {
            $0.magnitudeErrors($0.one($0.fluxIsoCor), $0.one($0.fluxErrIsoCor))
        }
        table.add("FLUX_APER", .float, "count", "G12.7", "Flux vector within fixed circular aperture(s)") {
            $0[.fluxAper]
        }
        table.add("FLUXERR_APER", .float, "count", "G12.7", "RMS error vector for aperture flux(es)") {
            $0[.fluxErrAper]
        }
        table.add("MAG_APER", .float, "mag", "F8.4", "Fixed aperture magnitude vector") { $0.magnitudes($0[.fluxAper]) }
        table.add("MAGERR_APER", .float, "mag", "F8.4", "RMS error vector for fixed aperture mag.") {
            $0.magnitudeErrors($0[.fluxAper], $0[.fluxErrAper])
        }
        table.add("FLUX_AUTO", .float, "count", "G12.7", "Flux within a Kron-like elliptical aperture") {
            $0[.fluxAuto]
        }
        table.add("FLUXERR_AUTO", .float, "count", "G12.7", "RMS error for AUTO flux") { $0[.fluxErrAuto] }
        table.add("MAG_AUTO", .float, "mag", "F8.4", "Kron-like elliptical aperture magnitude") {
            $0.magnitudes($0[.fluxAuto])
        }
        table.add("MAGERR_AUTO", .float, "mag", "F8.4", "RMS error for AUTO magnitude") {
            $0.magnitudeErrors($0[.fluxAuto], $0[.fluxErrAuto])
        }
        table.add("FLUX_PETRO", .float, "count", "G12.7", "Flux within a Petrosian-like elliptical aperture") {
            $0[.fluxPetrosian]
        }
        table.add("FLUXERR_PETRO", .float, "count", "G12.7", "RMS error for PETROsian flux") { $0[.fluxErrPetrosian] }
        table.add("MAG_PETRO", .float, "mag", "F8.4", "Petrosian-like elliptical aperture magnitude") {
            $0.magnitudes($0[.fluxPetrosian])
        }
        table.add("MAGERR_PETRO", .float, "mag", "F8.4", "RMS error for PETROsian magnitude") {
            $0.magnitudeErrors($0[.fluxPetrosian], $0[.fluxErrPetrosian])
        }
        table.add("FLUX_BEST", .float, "count", "G12.7", "Best of FLUX_AUTO and FLUX_ISOCOR") { $0.one($0.fluxBest) }
        table.add("FLUXERR_BEST", .float, "count", "G12.7", "RMS error for BEST flux") { $0.one($0.fluxErrBest) }
        table.add("MAG_BEST", .float, "mag", "F8.4", "Best of MAG_AUTO and MAG_ISOCOR") {
            $0.magnitudes($0.one($0.fluxBest))
        }
        table.add("MAGERR_BEST", .float, "mag", "F8.4", "RMS error for MAG_BEST") {
            $0.magnitudeErrors($0.one($0.fluxBest), $0.one($0.fluxErrBest))
        }
        table.add("FLUX_WIN", .float, "count", "G12.7", "Gaussian-weighted flux") { $0[.fluxWin] }
        table.add("FLUXERR_WIN", .float, "count", "G12.7", "RMS error for WIN flux") { $0[.fluxErrWin] }
        table.add("MAG_WIN", .float, "mag", "F8.4", "Gaussian-weighted magnitude") { $0.magnitudes($0[.fluxWin]) }
        table.add("MAGERR_WIN", .float, "mag", "F8.4", "RMS error for MAG_WIN") {
            $0.magnitudeErrors($0[.fluxWin], $0[.fluxErrWin])
        }
        table.add("SNR_WIN", .float, "", "G10.4", "Gaussian-weighted SNR") {
            $0.one(zip($0[.fluxWin][0], $0[.fluxErrWin][0]).map { $1 > 0 ? $0 / $1 : 1e30 })
        }
    }
}
