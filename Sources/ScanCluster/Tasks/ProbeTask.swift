/// A task that does nothing: its duration is the cost of transport. Its output is the number of bulk bytes.
package struct ProbeTask: ScanTask {
    package static let typeName = "skyfarm.probe/1"

    package var id: Int

    package init(id: Int) { self.id = id }

    package func scan(_ context: ScanContext) -> Int { context.bulk?.count ?? 0 }
}
