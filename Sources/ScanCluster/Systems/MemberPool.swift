/// Some of the registry's members, by index. Inserting or removing one takes constant time.
package struct MemberPool: Sendable {
    /// The members in the pool, in no particular order.
    package private(set) var indices: [Int] = []
    /// The position of each member in `indices`; -1 if it is not in the pool.
    private var places: [Int] = []

    package init() {}

    /// Inserts or removes a member; does nothing if it is in that state already.
    package mutating func put(_ index: Int, isIn: Bool) {
        while places.count <= index { places.append(-1) }
        let place = places[index]
        if isIn, place < 0 {
            places[index] = indices.count
            indices.append(index)
        } else if !isIn, place >= 0, let last = indices.popLast() {
            places[index] = -1
            guard last != index else { return }
            indices[place] = last
            places[last] = place
        }
    }
}
