@testable import SkyFITS

extension FuzzTarget {
    /// A condition on header cards, which a job of another machine may have, to the first line feed; then a header.
    static let conditions = FuzzTarget(name: "conditions") { bytes in
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let header = FITSHeader(bytes: Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst()))
        do throws(ConditionError) {
            let condition = try HeaderCondition(text)
            let verdict = condition.verdict(header: header, primary: header)
            precondition(verdict.reason.isEmpty == (verdict.isTrue == true))
        } catch {
            precondition(error.offset <= text.count && error.excerpt.split(separator: "\n").count == 2)
        }
    } seeds: {
        let header = FITSHeader(cards: [
            "FILTER  = 'r'", "EXPTIME = 3.0D1", "HIERARCH ESO DET DIT = 5", "LONG    = 'a&'", "CONTINUE  'b'",
            "ZIMAGE  = T",
            "INHERIT = F",
        ]).bytes
        let texts = [
            "FILTER in ('g', \"r\") and not (EXPTIME >= 30 or A is not missing)", "ESO.DET.DIT = 5 and LONG ilike 'A*'",
            "HIERARCH ESO DET DIT not in (T, -1D2)",
        ]
        return Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("\($0)", Array($1.utf8) + [10] + header) })
    }
}
