import CommandLineKit
import Console
import Dispatch
import Foundation

/// Shows the progress of `skyfarm spread` on standard error: a line that is redrawn, a line every ten seconds, or JSON.
final class SpreadProgress: @unchecked Sendable {
    // Sendable, since mutable state is accessed only on `queue`.
    private let queue = DispatchQueue(label: "skyfarm.spread.progress")
    private let style: ProgressDisplay.Style
    private let log: Log
    private var state = State()
    private var block = ScreenBlock()
    private var timer: (any DispatchSourceTimer)?
    private var start = ContinuousClock.now

    package struct State: Equatable, Sendable {
        package var copies = 0
        package var bytes = 0
        package var ended = 0
        package var sent = 0

        /// Returns the progress in one line.
        package func text(seconds: Double) -> String {
            let rate = seconds > 0 ? Double(sent) / seconds : 0
            let left = rate > 0 ? ", \(HumanFormat.duration(seconds: Double(max(0, bytes - sent)) / rate)) left" : ""
            return "\(ended) of \(HumanFormat.count(copies, "copy")), \(HumanFormat.byteCount(sent)) of"
                + " \(HumanFormat.byteCount(bytes)), \(HumanFormat.quantity(rate))B/s\(left)"
        }
    }

    private struct Record: Encodable {
        var v = 1
        var event: String
        var copies: Int
        var ended: Int
        var bytes: Int
        var sent: Int
        var file: String?
        var copy: SpreadReport.Copy?
    }

    init(_ options: CommonOptions, _ log: Log) {
        let canRedraw =
            log.isForPeople && Terminal.standardError.canRedraw(ProcessInfo.processInfo.environment)
        (style, self.log) = (ProgressDisplay.Style(options, canRedraw: canRedraw), log)
    }

    /// Sets the number of copies and bytes that will be sent.
    func begin(copies: Int, bytes: Int) {
        queue.async { [self] in
            (state.copies, state.bytes, start) = (copies, bytes, .now)
            let interval: Double? =
                switch style {
                case .bar: 0.2
                case .lines: 10
                case .none, .json: nil
                }
            record("began")
            guard let interval, copies > 0 else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + interval, repeating: interval)
            timer.setEventHandler { [weak self] in self?.draw() }
            timer.resume()
            self.timer = timer
        }
    }

    /// Records that a node has received `count` bytes.
    func sent(_ count: Int) { queue.async { self.state.sent += count } }

    /// Records that a copy is done or has failed.
    func ended(_ source: SpreadSource, _ copy: SpreadReport.Copy) {
        queue.async { [self] in
            state.ended += 1
            record(copy.state == .failed ? "failed" : "copied", source.name, copy)
        }
    }

    private func record(_ event: String, _ file: String? = nil, _ copy: SpreadReport.Copy? = nil) {
        guard style == .json else { return }
        let record = Record(
            event: event, copies: state.copies, ended: state.ended, bytes: state.bytes, sent: state.sent, file: file,
            copy: copy)
        if let line = try? JSONOutput.line(record) { StandardError.write(line) }
    }

    private func draw() {
        let text = state.text(seconds: (ContinuousClock.now - start) / .seconds(1))
        if style == .bar { return StandardError.write(block.draw([text])) }
        if let line = log.line(.info, "\(text)") { StandardError.write(line) }
    }

    func finish() {
        queue.sync {
            timer?.cancel()
            timer = nil
            StandardError.write(block.erase())
        }
    }
}
