internal import SkyFITS

/// The cards of a calibrated image.
struct CalibratedHeader {
    /// The cards of the raw image that stay as they are.
    let kept: [String]
    /// The cards that are replaced or added, in this order.
    let entries: [HeaderEntry]
    /// The line of HISTORY.
    let history: String

    init(_ plan: ReductionPlan) {
        let header = plan.frame.cards.header
        let changes = TrimmedHeader.changes(
            header, trim: plan.trim, width: plan.frame.width, height: plan.frame.height)
        kept = (0..<header.count).compactMap { index in
            let (card, keyword) = (header[index], header.keyword(at: index))
            let isDropped =
                FITSFileWriter.isStructural(card) || changes.removed.contains(keyword)
                || keyword == "EXTNAME" && header.text(keyword) == ImageExtension.tableName
            return isDropped ? nil : card
        }
        let unit = plan.recipe.givesElectrons ? [HeaderEntry("BUNIT", .text("electron"))] : []
        entries = changes.entries + CalibrationCards.entries(plan) + unit
        history = "calibrated by \(plan.recipe.program)"
    }

    /// The header that the image has in the file of a calibrated frame, where it is the first HDU or an extension.
    /// - Throws: ``ScanSetupError`` if CFITSIO refuses a card.
    func header(width: Int, height: Int, isExtension: Bool) throws(ScanSetupError) -> FITSHeader {
        let header = FITSMemoryFile.header(width: width, height: height, isExtension: isExtension) { file in
            for card in kept { file.put(card: card) }
            for entry in entries { file.replace(entry) }
            file.write(history: [history])
        }
        guard let header else { throw ScanSetupError("a card of the calibrated image cannot be written") }
        return header
    }
}
