import ScanCluster

/// Measured scans of `skyfarm bench`, from which the report is computed. Pure.
package struct ScanMeasurement {
    package struct Image: Equatable {
        package var name: String
        package var isSynthetic = false
        package var width: Int
        package var height: Int
        package var bands: Int
        /// Number of bytes of the pixels of all bands, including their halos.
        package var bytes: Int
    }

    /// Measured link to the nodes.
    package struct Way: Equatable {
        /// Round trip of a null task in seconds.
        var roundTrip: Double
        /// Bytes per second sent to all nodes at the same time.
        var link: Sample
    }

    package var image: Image
    package var systems: [BenchReport.System]
    /// Trials with one slot of each system, in the order of ``systems``.
    package var oneSlot: [[ScanTrial]]
    /// Trials with all slots of this machine alone; empty without local slots.
    package var thisMachine: [ScanTrial]
    /// Trials with all slots of all systems.
    package var together: [ScanTrial]
    /// The measured link, or nil without nodes.
    package var way: Way?
    /// Links to forecast for, in addition to the measured one.
    package var links: [LinkRate] = []
    /// Measured cost of the coordinator, or nil if it was not measured.
    package var coordinator: CoordinatorCost?

    /// Round trip in seconds that is assumed if no node was measured: that of a null task in a switched local network.
    static let assumedRoundTrip = 3e-4

    package var report: BenchReport.Scan {
        let times = oneSlot.map { $0.sample(\.seconds) }
        let (measured, assumed, together) = (model, assumedModel, together.sample(\.seconds))
        let model = measured ?? assumed
        let speedUp = times[reference].median / together.median
        return BenchReport.Scan(
            image: image.name, isSynthetic: image.isSynthetic, width: image.width, height: image.height,
            bands: image.bands, sources: self.together.first?.sources ?? 0, oneSlot: times,
            thisMachine: thisMachine.isEmpty ? nil : thisMachine.sample(\.seconds), together: together,
            effectiveSlots: allSlots, speedUp: speedUp, efficiency: speedUp / allSlots, shares: shares,
            bound: shares.bound, slowdown: slowdown, link: way?.link, coordinator: coordinator, model: model,
            assumesNodes: measured == nil && assumed != nil ? true : nil, forecasts: measured?.forecasts,
            enoughNodes: measured?.enoughNodes, limit: measured?.limit,
            links: model.map { model in links.map { BenchReport.Link($0, model) } })
    }

    /// Index of the system to compare with: this machine, or else the fastest node.
    private var reference: Int {
        systems.firstIndex(where: \.isLocal)
            ?? systems.indices.min { oneSlot[$0].sample(\.seconds).median < oneSlot[$1].sample(\.seconds).median } ?? 0
    }

    /// Returns the scanning time of one slot of a system.
    private func busySeconds(_ index: Int) -> Double { oneSlot[index].sample(\.busySeconds).median }

    /// Number of slots of each system, in units of the reference's slots.
    private var effectiveSlots: [Double] {
        let unit = busySeconds(reference)
        return systems.indices.map { Double(systems[$0].slots) * unit / busySeconds($0) }
    }

    private var allSlots: Double { effectiveSlots.reduce(0, +) }

    private var nodeSlots: Double {
        zip(systems, effectiveSlots).reduce(0) { $0 + ($1.0.isLocal ? 0 : $1.1) }
    }

    private var slowdown: Double {
        // Each system scans a share of the pixels that is proportional to its speed.
        let expected = zip(systems.indices, effectiveSlots).reduce(0) { $0 + busySeconds($1.0) * $1.1 } / allSlots
        return together.sample(\.busySeconds).median / expected
    }

    private var shares: BenchReport.Shares {
        let slots = Double(systems.reduce(0) { $0 + $1.slots })
        let seconds = together.sample(\.seconds)
        let travelling = Double(image.bytes) * nodeSlots / allSlots
        return BenchReport.Shares(
            compute: (together.sample(\.busySeconds) / seconds).median / slots,
            coordinator: (together.sample(\.serialSeconds) / seconds).median,
            link: way.map { travelling / $0.link.median / seconds.median } ?? 0)
    }

    private var model: ScalingModel? {
        let remote = systems.indices.filter { !systems[$0].isLocal }
        guard let way, !remote.isEmpty else { return nil }
        let overlapped = remote.flatMap { oneSlot[$0] }.sample { max(0, $0.coordinatorSeconds - $0.serialSeconds) }
        let remoteSlots = Double(remote.reduce(0) { $0 + systems[$1].slots })
        return ScalingModel(
            steps: steps, linkBytesPerSecond: way.link.median, roundTripSeconds: way.roundTrip,
            coordinatorSeconds: overlapped.median,
            serialSeconds: Array(oneSlot.joined()).sample(\.serialSeconds).median,
            localSlots: Double(systems.filter(\.isLocal).reduce(0) { $0 + $1.slots }),
            slotsPerNode: remoteSlots / Double(remote.count), slotSpeed: nodeSlots / remoteSlots,
            slowdown: max(1, slowdown))
    }

    /// Model of nodes like this machine over the first of `links`, or nil if there is nothing to forecast.
    private var assumedModel: ScalingModel? {
        guard let local = systems.first(where: \.isLocal), let coordinator, let link = links.first else { return nil }
        let pixels = Double(image.bytes) / coordinator.bytesPerPixel
        return ScalingModel(
            steps: steps, linkBytesPerSecond: link.bytesPerSecond, roundTripSeconds: Self.assumedRoundTrip,
            coordinatorSeconds: pixels * coordinator.secondsPerPixel,
            serialSeconds: Array(oneSlot.joined()).sample(\.serialSeconds).median, localSlots: Double(local.slots),
            slotsPerNode: Double(local.slots), slotSpeed: 1, slowdown: max(1, slowdown))
    }

    /// Steps of a scan with one slot of the reference, which are the same in all its trials.
    private var steps: [ScalingModel.Step] {
        let trials = oneSlot[reference]
        return (trials.first?.steps ?? []).indices.map { index in
            let step = trials[0].steps[index]
            return ScalingModel.Step(
                tasks: step.tasks, taskSeconds: trials.sample { $0.steps[index].seconds }.median / Double(step.tasks),
                taskBytes: Double(step.bytes) / Double(step.tasks), isKept: step.name == .extraction)
        }
    }
}
