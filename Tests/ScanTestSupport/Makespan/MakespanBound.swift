extension MakespanScenario {
    /// Seconds that a task's bytes need at least, if all tasks have to travel: a part of the time of one task then.
    var leastTransfer: Double {
        guard localSlots == 0, let bytes = tasks.map(\.bytes).max() else { return 0 }
        let fastest = nodes.filter { $0.joins == 0 && $0.leaves == nil }.map(\.bytesPerSecond).max() ?? .infinity
        return Double(bytes) / min(fastest, sharedBytesPerSecond)
    }

    /// Seconds that the job takes at least: work and bytes are divided at will, nothing is unknown, and nothing waits.
    ///
    /// In a time T the slots of a node do as much as they can, and no more than arrives over its link. All nodes together
    /// get no more than the shared capacity carries. Bytes are needed once, work is done in each pass.
    var bound: Double {
        let work = tasks.reduce(0) { $0 + $1.seconds } * Double(passes)
        let bytes = tasks.reduce(0) { $0 + Double($1.bytes) }
        let workPerByte = work / max(1, bytes)
        func done(_ time: Double) -> Double {
            var remote = 0.0
            for node in nodes {
                let present = max(0, min(time, node.leaves ?? time) - node.joins - node.latency)
                remote += min(Double(node.slots) * node.speed * present, node.bytesPerSecond * present * workPerByte)
            }
            return Double(localSlots) * time + min(remote, sharedBytesPerSecond * time * workPerByte)
        }
        var (low, high) = (0.0, 1.0)
        while done(high) < work, high < 1e12 { high *= 2 }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if done(middle) < work { low = middle } else { high = middle }
        }
        // A task is not divided.
        let fastest = max(localSlots > 0 ? 1 : 0, nodes.map(\.speed).max() ?? 0)
        return max(high, Double(passes) * (tasks.map(\.seconds).max() ?? 0) / fastest)
    }
}
