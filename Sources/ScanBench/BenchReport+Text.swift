import Console
import ScanBasics
import ScanCluster

extension BenchReport {
    /// The tables for terminal output.
    package var text: String {
        [scan.map(headline), dispatch.map(text), latency.map(text), scan.map(text)].compactMap { $0 }
            .joined(separator: "\n")
    }

    /// Number of columns and rows of the image to which the first line refers, if the measured image is synthetic.
    private static let typicalSize = 10_240

    /// Returns the time for an image on this machine, and with the nodes.
    private func headline(_ scan: Scan) -> String {
        let isScaled = scan.isSynthetic && (scan.width, scan.height) != (Self.typicalSize, Self.typicalSize)
        let (width, height) = isScaled ? (Self.typicalSize, Self.typicalSize) : (scan.width, scan.height)
        func time(_ sample: Sample) -> String {
            HumanFormat.measurement(seconds: Double(width * height) / scan.rate(sample.median))
        }
        let nodes = systems.count { !$0.isLocal }
        let here = scan.thisMachine.map { "\(time($0)) on this machine" }
        let there = nodes == 0 ? nil : "\(time(scan.together)) with \(nodes == 1 ? "this node" : "these nodes")"
        let times = [here, there].compactMap { $0 }.joined(separator: ", ")
        let source = isScaled ? " (scaled from \(scan.width) x \(scan.height))" : ""
        return "a \(width) x \(height) image takes \(isScaled ? "about " : "")\(times)\(source)\n"
    }

    private var totalSlots: Int { systems.reduce(0) { $0 + $1.slots } }

    private func text(_ dispatch: Dispatch) -> String {
        var table = TextTable("SYSTEM", "SLOTS", "TASKS/S", "LOWEST", "HIGHEST")
        func add(_ name: String, _ slots: Int, _ sample: Sample) {
            let values = [sample.median, sample.lowest, sample.highest].map(HumanFormat.quantity)
            table.add(name, "\(slots)", values[0], values[1], values[2])
        }
        for (system, sample) in zip(systems, dispatch.alone) { add(system.name, system.slots, sample) }
        var lines = "dispatch: null tasks, median of \(HumanFormat.count(runs, "run"))\n"
        if let together = dispatch.together { add("together", totalSlots, together) }
        add("in chunks", totalSlots, dispatch.inChunks)
        lines += table.text
        if let speedUp = dispatch.speedUp, let efficiency = dispatch.efficiency, let bound = dispatch.bound {
            lines += "\(Self.times(speedUp)) the fastest alone, \(HumanFormat.percent(efficiency)) of their sum; "
            lines += bound == .coordinator ? "limited by the coordinator\n" : "limited by the nodes\n"
        }
        return lines
    }

    private func text(_ latency: Latency) -> String {
        var table = TextTable("SYSTEM", "P50", "LOWEST", "HIGHEST", "P99")
        for (index, system) in systems.enumerated() {
            let p50 = latency.p50[index]
            table.add(
                system.name, HumanFormat.measurement(seconds: p50.median), HumanFormat.measurement(seconds: p50.lowest),
                HumanFormat.measurement(seconds: p50.highest),
                HumanFormat.measurement(seconds: latency.p99[index].median))
        }
        return "latency: one null task at a time, median of \(HumanFormat.count(runs, "run"))\n"
            + table.text
    }

    private func text(_ scan: Scan) -> String {
        var table = TextTable("SYSTEM", "SLOTS", "TIME", "LOWEST", "HIGHEST", "RATE")
        func add(_ name: String, _ slots: Int, _ sample: Sample) {
            let times = [sample.median, sample.lowest, sample.highest].map(HumanFormat.measurement)
            table.add(
                name, "\(slots)", times[0], times[1], times[2], HumanFormat.pixelRate(scan.rate(sample.median)))
        }
        for (system, sample) in zip(systems, scan.oneSlot) { add(system.name, 1, sample) }
        add("together", totalSlots, scan.together)
        let size = "\(scan.width) x \(scan.height) pixels in \(HumanFormat.count(scan.bands, "band"))"
        var lines = "scan: \(scan.image), \(size), median of \(HumanFormat.count(runs, "run"))\n" + table.text
        let shares = scan.shares
        lines += "\(Self.times(scan.speedUp)) one slot, efficiency \(HumanFormat.percent(scan.efficiency))"
        lines += scan.bound.map { "; limited by \(Self.words($0, bands: scan.bands))\n" } ?? "\n"
        lines += "slots: \(HumanFormat.percent(shares.compute)) busy, \(HumanFormat.percent(shares.waiting)) waiting, "
        lines += "\(HumanFormat.percent(shares.coordinator)) without tasks while the coordinator works\n"
        if scan.slowdown > 1.15 {
            lines +=
                "all slots together: each \(Self.times(scan.slowdown)) slower than alone, because they share cores"
                + " or memory\n"
        }
        if let cost = scan.coordinator {
            lines += "coordinator: \(Self.nanoseconds(cost.readSecondsPerPixel)) to read a pixel for a node, "
            lines += "\(Self.nanoseconds(cost.sendSecondsPerByte)) to send a byte, "
            lines += "\(cost.bytesPerPixel.fixed(2)) bytes per pixel\n"
        }
        guard let forecasts = scan.forecasts, let enough = scan.enoughNodes, let limit = scan.limit else {
            guard let model = scan.model, let links = scan.links, !links.isEmpty else {
                return lines + "no node was measured: run `skyfarm node` on another machine to measure its benefit\n"
            }
            return lines + "no node was measured: the forecasts assume nodes like this machine, of "
                + "\(HumanFormat.count(Int(model.slotsPerNode), "slot"))\n" + text(links, bands: scan.bands)
        }
        if let link = scan.link { lines += "link to all nodes: \(HumanFormat.quantity(link.median))B/s\n" }
        lines += "forecast: \(Self.words(forecasts))\n"
        lines += "\(Self.words(enough: enough, limit, bands: scan.bands))\n"
        if limit == .link, let model = scan.model { lines += Self.remedies(model) }
        return lines + text(scan.links ?? [], bands: scan.bands)
    }

    private func text(_ links: [Link], bands: Int) -> String {
        links.map { link in
            let shown = link.forecasts.firstIndex { $0.nodes >= link.enoughNodes } ?? link.forecasts.count - 1
            let words = Self.words(Array(link.forecasts[...shown]))
            return "over \(LinkRate(bitsPerSecond: link.bitsPerSecond)): \(words); "
                + "\(Self.words(enough: link.enoughNodes, link.limit, bands: bands))\n"
        }.joined()
    }

    private static func nanoseconds(_ seconds: Double) -> String { "\((seconds * 1e9).fixed(2)) ns" }

    private static func words(_ forecasts: [ScalingModel.Forecast]) -> String {
        forecasts.map { "\(HumanFormat.count($0.nodes, "node")) \(times($0.speedUp))" }.joined(separator: ", ")
    }

    /// Returns the estimated gain by nodes that read the image themselves, and by a faster link.
    private static func remedies(_ model: ScalingModel) -> String {
        func best(_ model: ScalingModel) -> String {
            let forecast = model.forecast(nodes: max(1, model.enoughNodes))
            return "\(times(forecast.speedUp)) with \(HumanFormat.count(forecast.nodes, "node"))"
        }
        let faster = LinkRate(bitsPerSecond: 1e10)
        return "what would help: nodes that read the image themselves (skyfarm node --data), "
            + "\(best(model.sendingNothing)); a link of \(faster), \(best(model.over(faster)))\n"
    }

    private static func words(enough nodes: Int, _ limit: ScalingModel.Bound, bands: Int) -> String {
        "more than \(HumanFormat.count(max(1, nodes), "node")) do not help: limited by \(words(limit, bands: bands))"
    }

    private static func words(_ bound: ScalingModel.Bound, bands: Int) -> String {
        switch bound {
        case .compute: "CPU"
        case .link: "the link"
        case .coordinator: "the coordinator"
        case .tasks: "the number of bands, \(bands)"
        }
    }

    private static func times(_ factor: Double) -> String { "\(factor.fixed(2)) x" }
}
