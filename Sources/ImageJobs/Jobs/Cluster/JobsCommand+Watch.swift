package import CommandLineKit
package import Console
import Foundation
import ScanCluster
import SkyScan

/// Waiting for jobs of any node, and watching their progress.
extension JobsCommand {
    /// Waits until all jobs have ended.
    /// - Returns: The first exit code that is not 0.
    package func wait(for ids: [String]) async throws -> ExitCode {
        var targets: [Target] = []
        for id in ids { targets.append(try await target(id, substitute: .ofEnded)) }
        var code = ExitCode.complete
        for target in targets {
            var end = Self.end(of: try await target.row())
            while end == nil {
                try await Task.sleep(for: .milliseconds(200))
                end = Self.end(of: try await target.row())
            }
            if code == .complete { code = end ?? code }
        }
        return code
    }

    /// Returns the exit code of a job that has ended, or nil if it has not.
    package static func end(of row: JobRow) -> ExitCode? {
        if let code = row.code { return ExitCode.all.first { $0.rawValue == code } ?? .failure }
        if !row.isSubmitted, row.process == nil {
            return switch JobRecord.State(rawValue: row.state) {
            case .finished: row.filesFailed == 0 ? .complete : .partialCatalogue
            case .partial: .partialCatalogue
            case .failed: .input
            case .unfinished, nil: .failure
            }
        }
        return row.state == SubmittedJob.State.cancelled.rawValue ? .terminated : nil
    }

    /// Shows the progress of a job until it ends, in the form of `skyfarm scan`, or as its events with `--progress
    /// json`.
    package func watch(_ target: Target) async throws -> ExitCode {
        let display = ProgressDisplay(options.common, Log(program: "skyfarm jobs"))
        var (progress, shown) = (WatchedProgress(), "")
        while true {
            let row = try await target.row()
            if options.common.progress == .json {
                let text = try row.progress.map(JSONOutput.line) ?? ""
                if text != shown { StandardError.write(text) }
                shown = text
            } else {
                for event in progress.events(to: row.progress, row.systems) { display.handle(event) }
                if row.state != shown { display.message(.info, "job \(row.id) is \(row.state)") }
                shown = row.state
            }
            if let code = Self.end(of: row) {
                if options.common.progress != .json { display.finish() }
                if let message = row.message { StandardError.write(message.printable + "\n") }
                return code
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

/// Derives the events between two states of a watched job, so that it is displayed like a scan of this process. Pure.
package struct WatchedProgress {
    private var last = JobProgress(
        event: "", tasks: 0, tasksDone: 0, pixels: 0, pixelsDone: 0, retries: 0, systems: 0, slotsTotal: 0)
    private var present: [JobSystems.System] = []
    private var isFirst = true

    /// Returns the events after which a display shows `progress`. Work is counted in pixels of the image.
    package mutating func events(to progress: JobProgress?, _ systems: JobSystems?) -> [ProgressEvent] {
        guard let progress = progress?.possible else { return [] }
        var events: [ProgressEvent] = []
        if let files = progress.files, files != last.files { events.append(.files(files)) }
        if progress.pixels > last.pixels {
            let pixels = progress.pixels - last.pixels
            events.append(.began(pixels: pixels, work: Double(pixels)))
        }
        if progress.tasks > last.tasks { events.append(.planned(tasks: progress.tasks - last.tasks, work: 0)) }
        for _ in 0..<Self.steps(from: last.filesDone ?? 0, to: progress.filesDone ?? 0) {
            events.append(.fileEnded(file: "", outputs: []))
        }
        events += changes(of: systems?.present ?? [])
        let done = max(0, progress.tasksDone - last.tasksDone)
        let work = Double(max(0, progress.pixelsDone - last.pixelsDone))
        if isFirst || done > JobSystems.recentLimit {
            // Work done before the job was watched does not contribute to the rate.
            if done > 0 { events.append(.resumed(tasks: done, work: work)) }
        } else {
            let names = (systems?.recent ?? []).suffix(done)
            for index in 0..<done {
                let name = index < names.count ? names[names.startIndex + index] : ""
                events.append(.finished(work: work / Double(done), system: name))
            }
        }
        for _ in 0..<Self.steps(from: last.retries, to: progress.retries) { events.append(.retried(reason: "")) }
        (last, isFirst) = (progress, false)
        return events
    }

    /// Maximum number of events of a kind at a time, since the numbers come from a peer.
    private static let limit = 100_000

    package init() {}

    private static func steps(from old: Int, to new: Int) -> Int { min(limit, max(0, new - old)) }

    private mutating func changes(of systems: [JobSystems.System]) -> [ProgressEvent] {
        let left = present.filter { old in !systems.contains { $0.name == old.name } }
        let joined = systems.filter { !present.contains($0) }
        present = systems
        return left.map { .left(system: $0.name) } + joined.map { .joined(system: $0.name, slots: $0.slots) }
    }
}
