/// Returns "; did you mean NAME?" for the name nearest to a mistyped one, or an empty text if none is near.
package func suggestion(for typed: String, among names: some Sequence<String>, prefix: String = "") -> String {
    let nearest = names.map { (distance: editDistance(typed, $0), name: $0) }.min { $0 < $1 }
    guard let nearest, nearest.distance <= max(1, typed.count / 3) else { return "" }
    return "; did you mean \(prefix)\(nearest.name)?"
}

/// Returns the restricted Damerau-Levenshtein distance: the number of insertions, deletions, replacements and swaps of
/// neighbours that turn one text into the other. Computed row by row.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                best = min(best, beforeLast[j - 1] + 1)
            }
            row.append(best)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}
