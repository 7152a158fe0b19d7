internal import Foundation
package import SkyFITS

/// The cards that tell how an image was calibrated.
package enum CalibrationCards {
    static let maskRole = "MASK"

    /// The cards of a mask, with its bits.
    static let maskEntries = [
        HeaderEntry(HDU.companionKeyword, .text(maskRole), comment: "accompanies the image before it"),
        HeaderEntry("MASKBIT0", .text("bad pixel"), comment: "value 1"),
        HeaderEntry("MASKBIT1", .text("saturated"), comment: "value 2"),
        HeaderEntry("MASKBIT2", .text("cosmic ray"), comment: "value 4"),
        HeaderEntry("MASKBIT3", .text("no value"), comment: "value 8"),
    ]

    /// The card that names a master by which an image was calibrated.
    static func keyword(of role: MasterImages.Role) -> String {
        switch role {
        case .bias: "CALBIAS"
        case .dark: "CALDARK"
        case .flat: "CALFLAT"
        case .badPixels: "CALBPM"
        }
    }

    /// The cards that tell how an image is reduced.
    static func entries(_ plan: ReductionPlan) -> [HeaderEntry] {
        let recipe = plan.recipe
        var entries: [HeaderEntry] = []
        if let overscan = plan.overscan {
            entries.append(HeaderEntry("CALOVSC", .text("\(overscan)"), comment: "overscan subtracted"))
            entries.append(HeaderEntry("CALOVSM", .text(recipe.overscanMethod.rawValue), comment: "its level"))
        }
        if plan.trim != PixelSection(width: plan.frame.width, height: plan.frame.height) {
            entries.append(HeaderEntry("CALTRIM", .text("\(plan.trim)"), comment: "section of the raw image"))
        }
        for (role, sum) in [
            (MasterImages.Role.bias, "CALBSUM"), (.dark, "CALDSUM"), (.flat, "CALFSUM"), (.badPixels, "CALMSUM"),
        ] {
            guard let master = plan.images[role]?.frame else { continue }
            let name = (master.location.path as NSString).lastPathComponent
            entries.append(HeaderEntry(keyword(of: role), .text(name), comment: "\(role.rawValue)"))
            entries.append(HeaderEntry(sum, .text(master.checksum), comment: "XXH3 of its stored image"))
        }
        if plan.images[.dark] != nil {
            entries.append(HeaderEntry("CALDFAC", .real(plan.darkFactor), comment: "by what the dark was multiplied"))
        }
        if let saturation = plan.saturation {
            entries.append(HeaderEntry("CALSAT", .real(saturation), comment: "raw samples from here are saturated"))
        }
        if recipe.givesElectrons, let gain = plan.gain {
            entries.append(HeaderEntry("CALGAIN", .real(gain), comment: "electrons per unit, multiplied"))
        }
        if let rays = plan.rayParameters {
            let words = rays.words + (recipe.masksCosmicRays ? " mask" : "")
            entries.append(HeaderEntry("CALCRAY", .text(words), comment: "search for cosmic rays"))
        }
        return entries
    }

    /// The cards of a calibrated image that tell how it was reduced, but not what was found in it.
    package static func entries(in header: FITSHeader) -> [HeaderEntry] {
        let texts = [
            ("CALOVSC", "Overscan subtracted"), ("CALOVSM", "Its level"), ("CALTRIM", "Section of the raw image"),
            ("CALBIAS", "Bias"), ("CALBSUM", "XXH3-64 of the bias"), ("CALDARK", "Dark"),
            ("CALDSUM", "XXH3-64 of the dark"), ("CALFLAT", "Flat"), ("CALFSUM", "XXH3-64 of the flat"),
            ("CALBPM", "Mask of bad pixels"), ("CALMSUM", "XXH3-64 of the mask"), ("CALCRAY", "Search for cosmic rays"),
        ].compactMap { key, comment in header.text(key).map { HeaderEntry(key, .text($0), comment: comment) } }
        let numbers = [
            ("CALDFAC", "By what the dark was multiplied"), ("CALSAT", "Level of saturation"),
            ("CALGAIN", "[e-/unit] Gain, multiplied"),
        ].compactMap { key, comment in header.number(key).map { HeaderEntry(key, .real($0), comment: comment) } }
        return texts + numbers
    }

    /// The card that tells how many pixels of cosmic rays were found.
    static func rays(_ count: Int) -> HeaderEntry {
        HeaderEntry("CALNCR", .integer(count), comment: "pixels of cosmic rays")
    }
}
