import Foundation
public import SkyCatalogue
import SkyFITS

/// A catalogue as shown by a page: sources, histograms of all sources, and parameters of the scan.
public struct CatalogueSummary: Encodable, Sendable {
    package var sources: SourcePack
    package var magnitudes: Histogram
    package var sizes: Histogram
    package var parameters: [Parameter]
    /// Sectors that could not be scanned, one line each.
    package var missing: [String]
    /// The columns and rows of the ends of each trail: x1, y1, x2, y2.
    package var trails: [[Double]]

    package struct Parameter: Encodable {
        package var key: String
        package var value: String
        package var meaning: String
    }

    /// Summarises `table`.
    ///
    /// - Parameters:
    ///   - table: the catalogue.
    ///   - missing: sectors that could not be scanned, one line each.
    ///   - limit: maximum number of sources whose values are included.
    ///   - trails: the columns and rows of the ends of each trail: x1, y1, x2, y2.
    public init(
        _ table: CatalogueTable, missing: [String], limit: Int = SourcePack.limit, trails: [[Double]] = []
    ) {
        (self.missing, self.trails) = (missing, trails)
        sources = SourcePack(table, limit: limit)
        magnitudes = Histogram(Self.reals(table, "flux_auto").filter { $0 > 0 }.map { -2.5 * log10($0) })
        sizes = Histogram(Self.reals(table, "flux_radius"))
        parameters = table.header.map(Parameter.init)
    }

    private static func reals(_ table: CatalogueTable, _ name: String) -> [Double] {
        table[name].map { column in (0..<column.values.count).map(column.values.real) } ?? []
    }
}

extension CatalogueSummary.Parameter {
    init(_ entry: HeaderEntry) {
        let value =
            switch entry.value {
            case .text(let text): text
            case .integer(let number): String(number)
            case .real(let number):
                number == number.rounded() && number.magnitude < 1e15 ? String(Int(number)) : "\(number)"
            case .logical(let isTrue): isTrue ? "yes" : "no"
            }
        self.init(key: entry.key, value: value, meaning: entry.comment)
    }
}
