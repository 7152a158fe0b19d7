import CommandLineKit
import Console
import Foundation
import ScanCluster
package import ScanFarm
import ScanNetwork
import SkyCatalogue
import SkyExtraction
import SkyFITS
package import SkyScan

extension ScanCommand {
    /// The account of a scan whose sources are complete. The nodes are still there, and known.
    /// `isOnly`: whether the node's system has done nothing else.
    package func account(
        _ recorder: ScanRecorder, _ reader: ImageReader, _ node: ScanNode, isOnly: Bool
    ) async -> ScanAccount {
        let processors = node.systems.snapshot.map { ($0.name, $0.processors) }
        let slotReading = await reader.slotProcessorSeconds
        return ScanAccount(
            recorder.timeline, before: isOnly ? recorder.before : 0, readingSeconds: await reader.readingSeconds,
            local: ScanEvents.localName,
            processorSeconds: isOnly ? node.local?.processorSeconds.map { $0 - slotReading } : nil,
            readingProcessorSeconds: isOnly ? await reader.readingProcessorSeconds : 0,
            processors: Dictionary(processors) { $1 }.compactMapValues(\.self))
    }
}
