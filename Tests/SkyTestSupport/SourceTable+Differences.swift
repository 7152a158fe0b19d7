package import SkyExtraction

/// How well doubles must agree; integers and floats must always be equal.
package enum Agreement {
    /// To one part in 10⁹.
    case close
    /// In all bits, except half-flux radii: Skyfarm sums them in another order than SEP.
    case exceptHalfFluxRadius
    /// In all bits.
    case exact
}

extension SourceTable {
    /// At most five differences from another table, in words.
    package func differences(to reference: SourceTable, _ agreement: Agreement = .close) -> [String] {
        if count != reference.count { return ["\(count) sources instead of \(reference.count)"] }
        var found: [String] = []
        func compare<Value>(
            _ name: String, _ path: KeyPath<SourceTable, [Value]>, _ isSame: (Value, Value) -> Bool
        ) {
            let (mine, theirs) = (self[keyPath: path], reference[keyPath: path])
            for index in mine.indices where found.count < 5 && !isSame(mine[index], theirs[index]) {
                found.append("\(name)[\(index)] is \(mine[index]) instead of \(theirs[index])")
            }
        }
        for column in Self.columns {
            switch column {
            case .int16(let name, let path): compare(name, path, ==)
            case .int32(let name, let path): compare(name, path, ==)
            case .float(let name, let path): compare(name, path) { $0 == $1 || ($0.isNaN && $1.isNaN) }
            case .double(let name, let path):
                let mayDiffer = agreement == .close || (agreement != .exact && name == "flux_radius")
                compare(name, path) { $0 == $1 || ($0.isNaN && $1.isNaN) || (mayDiffer && isClose($0, $1)) }
            }
        }
        return found
    }
}
