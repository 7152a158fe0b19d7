import SkyFITS

/// When, how long and through which filter the image of a catalogue was exposed, from the catalogue's header.
struct StoredExposure: Hashable {
    /// Empty if the image's header has none.
    var date = ""
    var filter = ""
    /// In days and seconds; nil if the image's header has none.
    var modifiedJulianDate: Double?
    var seconds: Double?

    /// None.
    init() {}

    /// The exposure of the current table of a file.
    init(of file: FITSFile) {
        (date, filter) = (file.text("IMGDATE") ?? "", file.text("IMGFILT") ?? "")
        (modifiedJulianDate, seconds) = (file.real("IMGMJD"), file.real("IMGEXPT"))
    }

    /// The columns of a merged table, for `count` rows.
    func columns(count: Int) -> [CatalogueTable.Column] {
        func texts(_ text: String) -> CatalogueTable.Values { .text(Array(repeating: text, count: count)) }
        func numbers(_ number: Double?) -> CatalogueTable.Values {
            .double(Array(repeating: number ?? .nan, count: count))
        }
        return [
            .init("date_obs", description: "Begin of the exposure: DATE-OBS of the image", texts(date)),
            .init(
                "mjd", unit: "d",
                description: "Begin of the exposure, modified Julian date in the time scale of date_obs",
                numbers(modifiedJulianDate)),
            .init("filter", description: "Filter of the image", texts(filter)),
            .init("exptime", unit: "s", description: "Exposure time of the image", numbers(seconds)),
        ]
    }
}
