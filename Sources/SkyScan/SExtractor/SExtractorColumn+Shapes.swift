extension SExtractorColumn {
    /// Columns of the isophotal moments and of the errors of the barycentre.
    static let shapes = table { table in
        table.add("X2_IMAGE", .double, "pixel**2", "E18.10", "Variance along x") {
            $0.one($0.moments(.barycentre).map(\.x2))
        }
        table.add("Y2_IMAGE", .double, "pixel**2", "E18.10", "Variance along y") {
            $0.one($0.moments(.barycentre).map(\.y2))
        }
        table.add("XY_IMAGE", .double, "pixel**2", "E18.10", "Covariance between x and y") {
            $0.one($0.moments(.barycentre).map(\.xy))
        }
        table.add("CXX_IMAGE", .float, "pixel**(-2)", "E15.7", "Cxx object ellipse parameter") {
            $0.one($0.moments(.barycentre).map(\.coefficients.cxx))
        }
        table.add("CYY_IMAGE", .float, "pixel**(-2)", "E15.7", "Cyy object ellipse parameter") {
            $0.one($0.moments(.barycentre).map(\.coefficients.cyy))
        }
        table.add("CXY_IMAGE", .float, "pixel**(-2)", "E15.7", "Cxy object ellipse parameter") {
            $0.one($0.moments(.barycentre).map(\.coefficients.cxy))
        }
        table.add("A_IMAGE", .float, "pixel", "F9.3", "Profile RMS along major axis") {
            $0.one($0.moments(.barycentre).map(\.a))
        }
        table.add("B_IMAGE", .float, "pixel", "F9.3", "Profile RMS along minor axis") {
            $0.one($0.moments(.barycentre).map(\.b))
        }
        table.add("THETA_IMAGE", .float, "deg", "F6.2", "Position angle (CCW/x)") {
            $0.one($0.moments(.barycentre).map(\.theta))
        }
        table.add("POLAR_IMAGE", .float, "", "F7.5", "(A_IMAGE^2 - B_IMAGE^2)/(A_IMAGE^2 + B_IMAGE^2)") {
            $0.one($0.moments(.barycentre).map(\.polarization))
        }
        table.add("ERRX2_IMAGE", .double, "pixel**2", "E18.10", "Variance of position along x") {
            $0.one($0.moments(.barycentreError).map(\.x2))
        }
        table.add("ERRY2_IMAGE", .double, "pixel**2", "E18.10", "Variance of position along y") {
            $0.one($0.moments(.barycentreError).map(\.y2))
        }
        table.add("ERRXY_IMAGE", .double, "pixel**2", "E18.10", "Covariance of position between x and y") {
            $0.one($0.moments(.barycentreError).map(\.xy))
        }
        table.add("ERRCXX_IMAGE", .float, "pixel**(-2)", "G12.7", "Cxx error ellipse parameter") {
            $0.one($0.moments(.barycentreError).map(\.coefficients.cxx))
        }
        table.add("ERRCYY_IMAGE", .float, "pixel**(-2)", "G12.7", "Cyy error ellipse parameter") {
            $0.one($0.moments(.barycentreError).map(\.coefficients.cyy))
        }
        table.add("ERRCXY_IMAGE", .float, "pixel**(-2)", "G12.7", "Cxy error ellipse parameter") {
            $0.one($0.moments(.barycentreError).map(\.coefficients.cxy))
        }
        table.add("ERRA_IMAGE", .float, "pixel", "F9.5", "RMS position error along major axis") {
            $0.one($0.moments(.barycentreError).map(\.a))
        }
        table.add("ERRB_IMAGE", .float, "pixel", "F9.5", "RMS position error along minor axis") {
            $0.one($0.moments(.barycentreError).map(\.b))
        }
        table.add("ERRTHETA_IMAGE", .float, "deg", "F6.2", "Error ellipse position angle (CCW/x)") {
            $0.one($0.moments(.barycentreError).map(\.theta))
        }
        table.add("X2_WORLD", .double, "deg**2", "E18.10", "Variance along X-WORLD (alpha)") {
            $0.one($0.worldMoments(.barycentre).map(\.x2))
        }
        table.add("Y2_WORLD", .double, "deg**2", "E18.10", "Variance along Y-WORLD (delta)") {
            $0.one($0.worldMoments(.barycentre).map(\.y2))
        }
        table.add("XY_WORLD", .double, "deg**2", "E18.10", "Covariance between X-WORLD and Y-WORLD") {
            $0.one($0.worldMoments(.barycentre).map(\.xy))
        }
        table.add("CXX_WORLD", .float, "deg**(-2)", "E15.7", "Cxx object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentre).map(\.coefficients.cxx))
        }
        table.add("CYY_WORLD", .float, "deg**(-2)", "E15.7", "Cyy object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentre).map(\.coefficients.cyy))
        }
        table.add("CXY_WORLD", .float, "deg**(-2)", "E15.7", "Cxy object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentre).map(\.coefficients.cxy))
        }
        table.add("A_WORLD", .float, "deg", "G12.7", "Profile RMS along major axis (world units)") {
            $0.one($0.worldMoments(.barycentre).map(\.a))
        }
        table.add("B_WORLD", .float, "deg", "G12.7", "Profile RMS along minor axis (world units)") {
            $0.one($0.worldMoments(.barycentre).map(\.b))
        }
        table.add("THETA_WORLD", .float, "deg", "F6.2", "Position angle (CCW/world-x)") {
            $0.one($0.worldMoments(.barycentre).map(\.theta))
        }
        table.add("THETA_SKY", .float, "deg", "F6.2", "Position angle (east of north) (native)") {
            $0.one($0.positionAngles(.barycentre))
        }
        table.add("THETA_J2000", .float, "deg", "F6.2", "Position angle (east of north) (J2000)") {
            $0.one($0.positionAngles(.barycentre))
        }
        table.add("POLAR_WORLD", .float, "", "F7.5", "(A_WORLD^2 - B_WORLD^2)/(A_WORLD^2 + B_WORLD^2)") {
            $0.one($0.worldMoments(.barycentre).map(\.polarization))
        }
        table.add("ERRX2_WORLD", .double, "deg**2", "E18.10", "Variance of position along X-WORLD (alpha)") {
            $0.one($0.worldMoments(.barycentreError).map(\.x2))
        }
        table.add("ERRY2_WORLD", .double, "deg**2", "E18.10", "Variance of position along Y-WORLD (delta)") {
            $0.one($0.worldMoments(.barycentreError).map(\.y2))
        }
        table.add("ERRXY_WORLD", .double, "deg**2", "E18.10", "Covariance of position X-WORLD/Y-WORLD") {
            $0.one($0.worldMoments(.barycentreError).map(\.xy))
        }
        table.add("ERRCXX_WORLD", .float, "deg**(-2)", "G12.7", "Cxx error ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentreError).map(\.coefficients.cxx))
        }
        table.add("ERRCYY_WORLD", .float, "deg**(-2)", "G12.7", "Cyy error ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentreError).map(\.coefficients.cyy))
        }
        table.add("ERRCXY_WORLD", .float, "deg**(-2)", "G12.7", "Cxy error ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.barycentreError).map(\.coefficients.cxy))
        }
        table.add("ERRA_WORLD", .float, "deg", "G12.7", "World RMS position error along major axis") {
            $0.one($0.worldMoments(.barycentreError).map(\.a))
        }
        table.add("ERRB_WORLD", .float, "deg", "G12.7", "World RMS position error along minor axis") {
            $0.one($0.worldMoments(.barycentreError).map(\.b))
        }
        table.add("ERRTHETA_WORLD", .float, "deg", "F6.2", "Error ellipse pos. angle (CCW/world-x)") {
            $0.one($0.worldMoments(.barycentreError).map(\.theta))
        }
        table.add("ERRTHETA_SKY", .float, "deg", "F6.2", "Native error ellipse pos. angle (east of north)") {
            $0.one($0.positionAngles(.barycentreError))
        }
        table.add("ERRTHETA_J2000", .float, "deg", "F6.2", "J2000 error ellipse pos. angle (east of north)") {
            $0.one($0.positionAngles(.barycentreError))
        }
    }
}
