package import ScanCluster

/// The results of `skyfarm bench`; as JSON, `v` is the version of the format. All times are in seconds.
package struct BenchReport: Encodable {
    package var v = 1
    /// Runs of each measurement.
    package var runs: Int
    /// All lists with one element per system have this order.
    package var systems: [System]
    package var dispatch: Dispatch?
    package var latency: Latency?
    package var scan: Scan?

    package struct System: Encodable, Equatable {
        package var name: String
        package var slots: Int
        package var isLocal: Bool
    }

    /// The rate of null tasks, with all slots in use.
    package struct Dispatch: Encodable {
        /// Tasks per second of each system alone.
        package var alone: [Sample]
        /// Tasks per second of all systems; nil if there is only one.
        package var together: Sample?
        /// Tasks per second of all systems, with tasks sent in chunks.
        package var inChunks: Sample
        /// Rate of all systems, relative to the fastest system alone.
        package var speedUp: Double?
        /// Rate of all systems, relative to the sum of the rates of each alone.
        package var efficiency: Double?
        /// What limits the rate of all systems together.
        package var bound: ScalingModel.Bound?

        package init(alone: [Sample], together: Sample?, inChunks: Sample) {
            (self.alone, self.together, self.inChunks) = (alone, together, inChunks)
            guard let together else { return }
            let medians = alone.map(\.median)
            let efficiency = together.median / medians.reduce(0, +)
            speedUp = together.median / (medians.max() ?? .nan)
            self.efficiency = efficiency
            // A rate far below their sum is not limited by the systems.
            bound = efficiency < 0.8 ? .coordinator : .compute
        }
    }

    /// Quantiles of the round trip of one null task at a time.
    package struct Latency: Encodable {
        package var p50: [Sample]
        package var p99: [Sample]

        package init(p50: [Sample], p99: [Sample]) {
            self.p50 = p50
            self.p99 = p99
        }
    }

    /// Scans of an image.
    package struct Scan: Encodable {
        package var image: String
        /// Whether the image was made for the measurement.
        package var isSynthetic: Bool
        package var width: Int
        package var height: Int
        package var bands: Int
        package var sources: Int
        /// Time with one slot of each system alone.
        package var oneSlot: [Sample]
        /// Time with all slots of this machine alone; nil without local slots.
        package var thisMachine: Sample?
        /// Time with all slots of all systems.
        package var together: Sample
        /// Slots of all systems, each weighted by its speed.
        package var effectiveSlots: Double
        /// Speed relative to one slot of this machine or, without local slots, of the fastest node.
        package var speedUp: Double
        /// Share of the speed that the slots would have if they were always busy.
        package var efficiency: Double
        package var shares: Shares
        /// What took at least half of the slots' time; nil if nothing did.
        package var bound: ScalingModel.Bound?
        /// Time for the same pixels when all slots scan, relative to one slot alone: slots of one machine share memory
        /// bandwidth and cores.
        package var slowdown: Double
        /// Bytes per second to all nodes at the same time; nil without nodes.
        package var link: Sample?
        /// What the coordinator does for pixels that nodes scan.
        package var coordinator: CoordinatorCost?
        /// Nil without nodes, unless --link is given.
        package var model: ScalingModel?
        /// Whether the model's nodes are assumed to be like this machine, since none was measured.
        package var assumesNodes: Bool?
        /// Nil without nodes, and so the next two.
        package var forecasts: [ScalingModel.Forecast]?
        /// Number of nodes beyond which more do not help with this image.
        package var enoughNodes: Int?
        /// What limits the speed beyond that number.
        package var limit: ScalingModel.Bound?
        /// Forecasts for the links of --link; nil without a model.
        package var links: [Link]?

        /// Pixels per second in `seconds`.
        package func rate(_ seconds: Double) -> Double { Double(width * height) / seconds }
    }

    /// Forecast for another link.
    package struct Link: Encodable, Equatable {
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

    /// Shares of the slots' time when all systems scanned together.
    package struct Shares: Encodable, Equatable {
        /// The time in which slots scanned.
        package var compute: Double
        /// No task was running.
        package var coordinator: Double
        /// Waiting for pixels or for a task.
        package var waiting: Double
        /// Time to send all pixels over the link, relative to the scan; it overlaps with scanning.
        package var link: Double

        package init(compute: Double, coordinator: Double, link: Double) {
            (self.compute, self.coordinator, self.link) = (compute, coordinator, link)
            waiting = max(0, 1 - compute - coordinator)
        }

        /// The cause of a share of at least half; nil if there is none.
        package var bound: ScalingModel.Bound? {
            if compute >= 0.5 { return .compute }
            if coordinator >= 0.5 { return .coordinator }
            return waiting < 0.5 ? nil : link > waiting / 2 ? .link : .tasks
        }
    }
}
