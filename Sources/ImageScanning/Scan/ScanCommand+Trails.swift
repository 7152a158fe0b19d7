import CommandLineKit
import SkyCatalogue
import SkyTrails

extension ScanCommand.Options {
    /// The treatment of trails of satellites and aeroplanes.
    package struct Trails: Equatable, Sendable {
        /// Whether sources that are parts of trails are removed, and not only flagged.
        package private(set) var removes = false
        /// Tables of the trails: names, or templates of names.
        package private(set) var tables: [String] = []

        /// Nil without `--trails`.
        init?(_ arguments: Arguments) throws(UsageError) {
            let values = try arguments[Self.option]
            if values.isEmpty { return nil }
            for value in values {
                switch value {
                case "flag": continue
                case "remove": removes = true
                default:
                    let path = try OutputTemplate(value, of: "--trails").name(file: "image.fits")
                    guard !value.isEmpty, value != "-", let format = CatalogueFormat(path: path), format != .reg else {
                        throw UsageError(
                            "--trails: \"\(value)\": use flag, remove, or name a table such as trails.csv or trails.fits"
                        )
                    }
                    tables.append(value)
                }
            }
            for (name, reason) in Self.excluded where arguments.flags[name] != nil {
                throw UsageError("--\(name) \(reason): leave it or --trails out")
            }
        }

        private static let excluded = [
            ("at", "measures given positions, among which are no trails"),
            ("detect", "finds the sources in another image"),
            ("skip-existing", "cannot tell whether trails were looked for in a catalogue"),
        ]

        static let option = Option.list(
            "trails", .text("flag|remove|FILE"),
            help:
                "Look for trails of satellites and aeroplanes: add \(TrailFlag.bit) to the flags of sources that they touch; "
                + "with remove also leave out those that are parts of trails; with FILE also write a table of the trails"
        )
    }
}
