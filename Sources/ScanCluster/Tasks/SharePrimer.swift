/// Brings the bytes that the tasks of a run share to a system, which keeps them by their key.
package struct SharePrimer: ScanTask {
    package static let typeName = "skyfarm.share/1"

    package var id: Int

    package init() { id = 0 }

    package func scan(_ context: ScanContext) -> Int { context.bulk?.count ?? 0 }
}
