#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Which objects share an island: a forest of objects whose pixels touch.
struct IslandLabels {
    private var parents: [Int32]

    /// `count` objects that do not touch yet.
    init(count: Int) {
        parents = Array(0..<Int32(count))
    }

    /// Joins objects that have 8-connected pixels. `pixels` holds raster offsets within `rect`.
    mutating func join(pixels: UnsafePointer<Int32>, offsets: [Int], in rect: PixelRect) {
        // calloc: only the pages that objects touch are ever cleared.
        guard let memory = calloc(rect.area, MemoryLayout<Int32>.stride) else { fatalError("out of memory") }
        defer { free(memory) }
        HugePages.advise(UnsafeMutableRawBufferPointer(start: memory, count: rect.area * MemoryLayout<Int32>.stride))
        let owners = memory.bindMemory(to: Int32.self, capacity: rect.area)
        for object in 0..<parents.count {
            for offset in offsets[object]..<offsets[object + 1] { owners[Int(pixels[offset])] = Int32(object + 1) }
        }
        let width = rect.width
        for object in 0..<parents.count {
            for offset in offsets[object]..<offsets[object + 1] {
                let pixel = Int(pixels[offset])
                let column = pixel % width
                let isLast = column == width - 1
                if !isLast { join(object, owners[pixel + 1]) }
                guard pixel + width < rect.area else { continue }
                if column > 0 { join(object, owners[pixel + width - 1]) }
                join(object, owners[pixel + width])
                if !isLast { join(object, owners[pixel + width + 1]) }
            }
        }
    }

    @inline(__always)
    private mutating func join(_ object: Int, _ owner: Int32) {
        if owner == 0 || owner == Int32(object + 1) { return }
        let first = root(Int32(object))
        let second = root(owner - 1)
        parents[Int(max(first, second))] = min(first, second)
    }

    private mutating func root(_ object: Int32) -> Int32 {
        var object = object
        while parents[Int(object)] != object {
            let next = parents[Int(parents[Int(object)])]
            parents[Int(object)] = next
            object = next
        }
        return object
    }

    /// The end of the run of objects from `first` that share its island.
    mutating func end(ofIslandAt first: Int) -> Int {
        let island = root(Int32(first))
        var end = first + 1
        while end < parents.count, root(Int32(end)) == island { end += 1 }
        return end
    }

    /// True when the objects are an island: none of them belongs to an earlier one.
    mutating func isIsland(_ objects: Range<Int>) -> Bool {
        root(Int32(objects.lowerBound)) == Int32(objects.lowerBound)
    }
}
