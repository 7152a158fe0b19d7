package import ScanCluster

/// Results of `skyfarm bench`; in the JSON output, `v` is the version of the format. All times are in seconds.
package struct BenchReport: Encodable {
    package var v = 1
    /// Number of runs of each measurement.
    package var runs: Int
    /// The systems; all lists with one element per system have the same order.
    package var systems: [System]
    package var dispatch: Dispatch?
    package var latency: Latency?
    package var scan: Scan?

    package struct System: Encodable, Equatable {
        package var name: String
        package var slots: Int
        package var isLocal: Bool
    }

    /// Rate of null tasks while all slots are in use.
    package struct Dispatch: Encodable {
        /// Tasks per second of each system alone.
        package var alone: [Sample]
        /// Tasks per second of all systems together, or nil if there is only one system.
        package var together: Sample?
        /// Tasks per second of all systems together, with tasks sent in chunks.
        package var inChunks: Sample
        /// Rate of all systems together, relative to the fastest system alone.
        package var speedUp: Double?
        /// Rate of all systems together, relative to the sum of the rates of each system alone.
        package var efficiency: Double?
        /// The bottleneck of all systems together.
        package var bound: ScalingModel.Bound?

        package init(alone: [Sample], together: Sample?, inChunks: Sample) {
            (self.alone, self.together, self.inChunks) = (alone, together, inChunks)
            guard let together else { return }
            let medians = alone.map(\.median)
            let efficiency = together.median / medians.reduce(0, +)
            speedUp = together.median / (medians.max() ?? .nan)
            self.efficiency = efficiency
            // A rate far below the sum is not limited by the systems.
            bound = efficiency < 0.8 ? .coordinator : .compute
        }
    }

    /// Quantiles of the round trip of null tasks that are sent one at a time.
    package struct Latency: Encodable {
        package var p50: [Sample]
        package var p99: [Sample]

        package init(p50: [Sample], p99: [Sample]) {
            self.p50 = p50
            self.p99 = p99
        }
    }

    /// Measured scans of an image, with forecasts.
    package struct Scan: Encodable {
        package var image: String
        /// Whether the image was created for the measurement.
        package var isSynthetic: Bool
        package var width: Int
        package var height: Int
        package var bands: Int
        package var sources: Int
        /// Time with one slot of each system alone.
        package var oneSlot: [Sample]
        /// Time with all slots of this machine alone, or nil without local slots.
        package var thisMachine: Sample?
        /// Time with all slots of all systems.
        package var together: Sample
        /// Number of slots of all systems, each weighted by its speed.
        package var effectiveSlots: Double
        /// Speed relative to one slot of this machine or, without local slots, of the fastest node.
        package var speedUp: Double
        /// Speed relative to the speed that the slots would have if they were always busy.
        package var efficiency: Double
        package var shares: Shares
        /// The cause of at least half of the slots' time, or nil if there is none.
        package var bound: ScalingModel.Bound?
        /// Time for the same pixels when all slots scan, relative to one slot alone. It exceeds 1, since the slots of a
        /// machine share memory bandwidth and cores.
        package var slowdown: Double
        /// Bytes per second sent to all nodes at the same time, or nil without nodes.
        package var link: Sample?
        /// Cost of the coordinator for pixels that nodes scan.
        package var coordinator: CoordinatorCost?
        /// The scaling model, or nil without nodes unless `--link` is given.
        package var model: ScalingModel?
        /// Whether the model assumes nodes like this machine, since no node was measured.
        package var assumesNodes: Bool?
        /// Forecasts for several numbers of nodes. These and the next two values are nil without a model.
        package var forecasts: [ScalingModel.Forecast]?
        /// Number of nodes beyond which additional nodes do not help with this image.
        package var enoughNodes: Int?
        /// The bottleneck beyond that number of nodes.
        package var limit: ScalingModel.Bound?
        /// Forecasts for the links given by `--link`, or nil without a model.
        package var links: [Link]?

        /// Returns the pixels per second of a scan that took `seconds`.
        package func rate(_ seconds: Double) -> Double { Double(width * height) / seconds }
    }

    /// Forecasts for another link.
    package struct Link: Encodable, Equatable {
        var bitsPerSecond: Double
        /// Forecasts for 1, 2, 4, 8, 16 and 32 nodes.
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

    /// Shares of the slots' time while all systems scan together.
    package struct Shares: Encodable, Equatable {
        /// Time in which slots scanned.
        package var compute: Double
        /// Time in which no task was running.
        package var coordinator: Double
        /// Time in which slots waited for pixels or for a task.
        package var waiting: Double
        /// Time to send all pixels over the link, relative to the scan; overlaps with scanning.
        package var link: Double

        package init(compute: Double, coordinator: Double, link: Double) {
            (self.compute, self.coordinator, self.link) = (compute, coordinator, link)
            waiting = max(0, 1 - compute - coordinator)
        }

        /// The cause of at least half of the time, or nil if there is none.
        package var bound: ScalingModel.Bound? {
            if compute >= 0.5 { return .compute }
            if coordinator >= 0.5 { return .coordinator }
            return waiting < 0.5 ? nil : link > waiting / 2 ? .link : .tasks
        }
    }
}
