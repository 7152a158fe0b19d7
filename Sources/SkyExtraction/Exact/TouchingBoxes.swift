package import SkyFITS

/// Merges rectangles that touch into their bounding boxes, until no two touch.
///
/// A sweep over the rows: the merged boxes under the sweep line are disjoint in x, so that a new box finds its
/// neighbours by binary search. A merged box may touch one that the line has passed; the sweep is then repeated.
package struct TouchingBoxes {
    /// A rectangle and the numbers of the rectangles merged into it.
    package struct Box: Equatable, Sendable {
        package var rect: PixelRect
        package var members: [Int]

        package init(rect: PixelRect, members: [Int]) {
            self.rect = rect
            self.members = members
        }

        // The shorter list is appended to the longer one, so that a long chain of boxes is not copied at each merge.
        fileprivate mutating func absorb(_ other: consuming Box) {
            rect = rect.union(other.rect)
            if members.count < other.members.count { swap(&members, &other.members) }
            members += other.members
        }
    }

    private var boxes: [Box]
    private let gap: Int

    /// Boxes that touch if at most `gap` pixels separate them.
    package init(_ boxes: [Box], gap: Int) {
        self.boxes = boxes
        self.gap = gap
    }

    /// The merged boxes, sorted by first row and column, with sorted members.
    package func merged() -> [Box] {
        var current = boxes
        while true {
            let next = sweep(current)
            if next.count == current.count { return finish(next) }
            current = next
        }
    }

    private func finish(_ boxes: [Box]) -> [Box] {
        Self.sorted(boxes).map { Box(rect: $0.rect, members: $0.members.sorted()) }
    }

    private static func sorted(_ boxes: [Box]) -> [Box] {
        boxes.sorted {
            ($0.rect.y.lowerBound, $0.rect.x.lowerBound) < ($1.rect.y.lowerBound, $1.rect.x.lowerBound)
        }
    }

    private func sweep(_ boxes: [Box]) -> [Box] {
        var done: [Box] = []
        // Disjoint in x by more than the gap, in ascending order.
        var active: [Box] = []
        var row = Int.min
        for var box in Self.sorted(boxes) {
            if box.rect.y.lowerBound != row {
                row = box.rect.y.lowerBound
                active.removeAll { old in
                    guard old.rect.y.upperBound + gap < row else { return false }
                    done.append(old)
                    return true
                }
            }
            var place = firstIndex(in: active, reaching: box.rect.x.lowerBound)
            while place < active.count, active[place].rect.x.lowerBound <= box.rect.x.upperBound + gap {
                box.absorb(active.remove(at: place))
                place = firstIndex(in: active, reaching: box.rect.x.lowerBound)
            }
            active.insert(box, at: place)
        }
        return done + active
    }

    /// The first active box whose end, extended by the gap, reaches `x`.
    private func firstIndex(in active: [Box], reaching x: Int) -> Int {
        var low = 0
        var high = active.count
        while low < high {
            let middle = (low + high) / 2
            if active[middle].rect.x.upperBound + gap < x { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
