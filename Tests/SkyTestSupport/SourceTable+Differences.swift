package import SkyImage

extension SourceTable {
    /// At most five differences from another table, in words. Integers and floats must be equal, doubles to one part in
    /// 10⁹.
    package func differences(to reference: SourceTable) -> [String] {
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
            case .double(let name, let path): compare(name, path) { isClose($0, $1) || ($0.isNaN && $1.isNaN) }
            }
        }
        return found
    }
}
