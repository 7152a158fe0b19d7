import SkyExtraction

extension SourceBatch {
    /// Sources of which every number is 1 and every flag 0, in islands of their own, in order.
    static func uniform(count: Int) -> SourceBatch {
        var batch = SourceBatch()
        for column in SourceTable.columns {
            switch column {
            case .int16(_, let path): batch.sources[keyPath: path] = Array(repeating: 0, count: count)
            case .int32(_, let path): batch.sources[keyPath: path] = Array(repeating: 1, count: count)
            case .float(_, let path): batch.sources[keyPath: path] = Array(repeating: 1, count: count)
            case .double(_, let path): batch.sources[keyPath: path] = Array(repeating: 1, count: count)
            }
        }
        (batch.keyRow, batch.keyColumn) = (Array(0..<Int32(count)), Array(repeating: 0, count: count))
        (batch.abcor, batch.mthresh) = (Array(repeating: 1, count: count), Array(repeating: 1, count: count))
        return batch
    }
}
