extension SourceCleaner {
    /// The surviving sources, and for each other one the source that it is merged into, as SExtractor cleans; both as
    /// positions in `order`.
    ///
    /// SEP's cleaning leaves the profiles as they are. SExtractor, as its catalogues with and without cleaning show,
    /// compares a source with those that ended before it, in their order; the brighter of two gets the other's flux and
    /// pixels, and its wing is that of both from then on.
    package func merge() -> (survivors: [Int], absorbers: [Int?]) {
        var absorbers = [Int?](repeating: nil, count: profiles.count)
        var profiles = profiles
        let neighbours = neighbours
        for index in profiles.indices {
            var earlier: [Int] = []
            neighbours.forEach(before: index) { if absorbers[$0] == nil { earlier.append($0) } }
            var victims: [Int] = []
            for other in earlier.sorted() {
                guard let (dx, dy) = distance(index, other) else { continue }
                if profiles[other].flux < profiles[index].flux {
                    if profiles[index].swallows(dx, dy, mthresh[other]) { victims.append(other) }
                } else if profiles[other].swallows(dx, dy, mthresh[index]) {
                    absorbers[index] = other
                    profiles[other].add(profiles[index])
                    break
                }
            }
            guard absorbers[index] == nil else { continue }
            for victim in victims {
                absorbers[victim] = index
                profiles[index].add(profiles[victim])
            }
        }
        return (absorbers.indices.filter { absorbers[$0] == nil }, absorbers)
    }
}
