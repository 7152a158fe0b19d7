/// Some of the registry's members, by index: one is put in or out in constant time.
package struct MemberPool: Sendable {
    /// The members in the pool, in no particular order.
    package private(set) var indices: [Int] = []
    /// Where each member stands in `indices`; -1 if it does not.
    private var places: [Int] = []

    /// Empty.
    package init() {}

    /// Puts a member into the pool or takes it out, unless it is so already.
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
