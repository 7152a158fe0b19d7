import ScanCluster

/// What `skyfarm bench` measured, for programs; `v` is the version of the form. All times are in seconds.
struct BenchReport: Encodable {
    var v = 1
    /// Runs of each measurement.
    var runs: Int
    /// In the order of all lists below.
    var systems: [System]
    var dispatch: Dispatch?
    var latency: Latency?
    var scan: Scan?

    struct System: Encodable, Equatable {
        var name: String
        var slots: Int
        var isLocal: Bool
    }

    /// Tasks that do nothing, as many at a time as the systems take.
    struct Dispatch: Encodable {
        /// Tasks per second of each system alone.
        var alone: [Sample]
        /// Tasks per second of all systems; nil if there is only one.
        var together: Sample?
        /// Times as many tasks as the fastest system alone.
        var speedUp: Double?
        /// Share of what the systems do alone, summed.
        var efficiency: Double?
        /// What keeps the systems from doing more.
        var bound: ScalingModel.Bound?

        init(alone: [Sample], together: Sample?) {
            (self.alone, self.together) = (alone, together)
            guard let together else { return }
            let medians = alone.map(\.median)
            let efficiency = together.median / medians.reduce(0, +)
            speedUp = together.median / (medians.max() ?? .nan)
            self.efficiency = efficiency
            // Far below their sum, it is no longer the systems.
            bound = efficiency < 0.8 ? .coordinator : .compute
        }
    }

    /// One task that does nothing after the other: quantiles of the time to its answer.
    struct Latency: Encodable {
        var p50: [Sample]
        var p99: [Sample]
    }

    /// Scans of an image.
    struct Scan: Encodable {
        var image: String
        var width: Int
        var height: Int
        var bands: Int
        var sources: Int
        /// Time with one slot of each system alone.
        var oneSlot: [Sample]
        /// Time with all slots of all systems.
        var together: Sample
        /// Slots of all systems, each counted by its speed.
        var effectiveSlots: Double
        /// Times as fast as one slot of this machine, or without such of the fastest node.
        var speedUp: Double
        /// Share of what the slots would do if nothing held them up.
        var efficiency: Double
        var shares: Shares
        var bound: ScalingModel.Bound
        /// Time that the same pixels take of a slot when all scan, against one alone: slots of one machine share its
        /// memory and, beyond its cores, those too.
        var slowdown: Double
        /// Bytes per second to all nodes at a time; nil without nodes.
        var link: Sample?
        /// Nil without nodes.
        var model: ScalingModel?
        var forecasts: [ScalingModel.Forecast]?
        /// From so many nodes like these on, more will not help with this image.
        var enoughNodes: Int?
        /// What keeps them from helping.
        var limit: ScalingModel.Bound?
        /// The same over links that were asked for; nil without nodes.
        var links: [Link]?

        /// Pixels per second in `seconds`.
        func rate(_ seconds: Double) -> Double { Double(width * height) / seconds }
    }

    /// What nodes like these would do over another link.
    struct Link: Encodable, Equatable {
        var bitsPerSecond: Double
        /// For 1 to 32 nodes.
        var forecasts: [ScalingModel.Forecast]
        var enoughNodes: Int
        var limit: ScalingModel.Bound

        init(_ rate: LinkRate, _ model: ScalingModel) {
            let model = model.over(rate)
            bitsPerSecond = rate.bitsPerSecond
            forecasts = [1, 2, 4, 8, 16, 32].map(model.forecast)
            (enoughNodes, limit) = (model.enoughNodes, model.limit)
        }
    }

    /// Where the slots' time went when all systems scanned together.
    struct Shares: Encodable, Equatable {
        /// They scanned.
        var compute: Double
        /// No task was under way.
        var coordinator: Double
        /// They waited for pixels, or for a task.
        var waiting: Double
        /// Time that the link took for all pixels that travelled; much of it passes while slots scan.
        var link: Double

        init(compute: Double, coordinator: Double, link: Double) {
            (self.compute, self.coordinator, self.link) = (compute, coordinator, link)
            waiting = max(0, 1 - compute - coordinator)
        }

        /// The greatest of them, and what slots waited for.
        var bound: ScalingModel.Bound {
            if waiting > max(compute, coordinator) { return link > waiting / 2 ? .link : .tasks }
            return compute >= coordinator ? .compute : .coordinator
        }
    }
}
