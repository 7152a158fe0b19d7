import Dispatch
import Foundation

/// Shows a job's events on standard error as they come: a bar, plain lines, or JSON.
///
/// May be called from any thread. ``finish()`` must be called before anything else writes to the terminal.
final class ProgressDisplay: @unchecked Sendable {
    // Sendable: everything mutable is touched only on `queue`.
    private let queue = DispatchQueue(label: "skyfarm.progress")
    private let style: Style
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let write: @Sendable (String) -> Void
    private let width: @Sendable () -> Int
    private var state = ProgressState()
    private var lastDraw = -Double.infinity
    private var isDrawn = false
    private var isFinished = false
    private var timer: (any DispatchSourceTimer)?

    enum Style: Equatable, Sendable {
        case none, bar, lines, json

        /// Seconds between two drawings.
        var interval: Double { self == .bar ? 0.1 : 10 }

        init(_ options: CommonOptions, canRedraw: Bool) {
            switch options.progress {
            case .json: self = .json
            case .never: self = .none
            case .always: self = canRedraw ? .bar : .lines
            case .auto: self = options.quiet ? .none : canRedraw ? .bar : .lines
            }
        }
    }

    init(
        style: Style, write: @escaping @Sendable (String) -> Void = StandardError.write,
        width: @escaping @Sendable () -> Int = { Terminal.standardError.width ?? 80 }
    ) {
        self.style = style
        self.write = write
        self.width = width
        start = clock.now
        if style == .bar || style == .lines { queue.sync { startTimer() } }
    }

    /// Takes an event in.
    func handle(_ event: ProgressEvent) {
        guard style != .none else { return }
        let seconds = elapsed()
        queue.async { [self] in
            guard !isFinished else { return }
            state.handle(event, at: seconds)
            if style == .json, let line = try? JSONOutput.line(ProgressRecord(event, at: seconds, state: state)) {
                write(line)
            }
        }
    }

    /// Writes a line for the user without tearing the bar.
    func message(_ line: String) {
        queue.async { [self] in
            erase()
            write(line + "\n")
        }
    }

    /// Removes the bar, says how it went, and shows nothing more. Returns when that is written.
    func finish() {
        queue.sync {
            guard !isFinished else { return }
            isFinished = true
            timer?.cancel()
            erase()
            if (style == .bar || style == .lines) && state.tasks > 0 {
                write(state.summary(at: elapsed()) + "\n")
            }
        }
    }

    private func startTimer() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + style.interval, repeating: style.interval, leeway: .milliseconds(20))
        timer.setEventHandler { @Sendable [weak self] in self?.draw() }
        timer.activate()
        self.timer = timer
    }

    private func draw() {
        guard !isFinished, state.tasks > 0 else { return }
        if style == .bar {
            // One column stays free: a full line makes some terminals scroll.
            write("\r\u{1b}[K" + state.bar(at: elapsed(), width: max(1, width() - 1)))
            isDrawn = true
        } else {
            write(state.line(at: elapsed()) + "\n")
        }
    }

    private func erase() {
        if isDrawn { write("\r\u{1b}[K") }
        isDrawn = false
    }

    private func elapsed() -> Double { (clock.now - start) / .seconds(1) }
}
