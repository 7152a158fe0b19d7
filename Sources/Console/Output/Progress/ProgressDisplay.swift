import Dispatch
import Foundation
package import ScanCluster

/// Shows the events of a scan on standard error as a redrawn display, plain lines, or JSON.
///
/// ``handle(_:)`` passes events to a ``ProgressState``, which keeps the totals. For the display, a timer formats the
/// state with a ``ProgressLayout`` and draws it with a ``ScreenBlock``; for JSON, each event is written as a
/// ``ProgressRecord``. ``message(_:_:details:cause:)`` writes lines above the display. All methods may be called from
/// any thread. Call ``finish()`` before anything else writes to the terminal.
package final class ProgressDisplay: @unchecked Sendable {
    // Sendable: all mutable state is accessed on `queue` only.
    private let queue = DispatchQueue(label: "skyfarm.progress")
    private let style: Style
    private let log: Log
    private let write: @Sendable (String) -> Void
    private let size: @Sendable () -> Terminal.Size?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var state = ProgressState()
    private var block = ScreenBlock()
    private var joined = JoinedNodes()
    private var repeated = RepeatedMessages()
    private var isFinished = false
    /// The systems as they are now; nil if that is not known.
    private var snapshot: (@Sendable () -> [SystemSnapshot])?
    private var sources: [any DispatchSourceProtocol] = []

    package enum Style: Equatable, Sendable {
        case none, bar, lines, json

        package init(_ options: CommonOptions, canRedraw: Bool) {
            switch options.progress {
            case .json: self = .json
            case .never: self = .none
            case .always: self = canRedraw ? .bar : .lines
            case .auto: self = options.quiet ? .none : canRedraw ? .bar : .lines
            }
        }
    }

    package init(
        style: Style, log: Log = Log(), write: @escaping @Sendable (String) -> Void = StandardError.writeStyled,
        size: @escaping @Sendable () -> Terminal.Size? = { Terminal.standardError.drawingSize }
    ) {
        (self.style, self.log, self.write, self.size) = (style, log, write, size)
        start = clock.now
        queue.sync {
            switch style {
            case .bar:
                redraw(every: 0.1)
                redrawWhenResized()
            case .lines: redraw(every: 10)
            case .none, .json: break
            }
        }
    }

    /// Creates the display selected by the options.
    package convenience init(_ options: CommonOptions, _ log: Log) {
        let canRedraw =
            log.isForPeople && Terminal.standardError.canRedraw(ProcessInfo.processInfo.environment)
        self.init(style: Style(options, canRedraw: canRedraw), log: log)
    }

    package func handle(_ event: ProgressEvent) {
        guard style != .none else { return }
        let seconds = elapsed()
        queue.async { [self] in
            guard !isFinished else { return }
            state.handle(event, at: seconds)
            if style == .json { record(event, at: seconds) }
        }
    }

    /// Shows from now on what the systems of `snapshot` have to do.
    package func follow(_ snapshot: @escaping @Sendable () -> [SystemSnapshot]) {
        queue.async { [self] in self.snapshot = snapshot }
    }

    /// Writes a message above the display, with `details` below it. Of several messages with the same `cause` only the
    /// first is written; the number of further ones is written at the end.
    package func message(
        _ level: Log.Level, _ text: StyledText, details: [String] = [], cause: StyledText? = nil
    ) {
        let lines = ([text] + details.map { "  \($0)" }).compactMap { log.line(level, $0) }
        guard !lines.isEmpty else { return }
        queue.async { [self] in
            if let cause, !repeated.isFirst(cause) { return }
            show(joinedLine() + lines)
        }
    }

    /// Reports that a node joined, in one line with others that join at about the same time.
    package func nodeJoined(_ name: String, slots: Int) {
        queue.async { [self] in
            let isFirst = joined.isEmpty
            joined.add(name, slots: slots, at: elapsed())
            if isFirst { awaitJoins() }
        }
    }

    /// Writes the line about joined nodes when it is due.
    private func awaitJoins() {
        let wait = joined.wait(at: elapsed())
        if wait <= 0 { return show(joinedLine()) }
        queue.asyncAfter(deadline: .now() + wait) { [weak self] in self?.awaitJoins() }
    }

    private func joinedLine() -> [String] { joined.take().flatMap { log.line(.info, $0) }.map { [$0] } ?? [] }

    /// Writes lines above the display.
    private func show(_ lines: [String]) {
        if lines.isEmpty { return }
        let erasure = block.erase()
        write(erasure + lines.joined() + (erasure.isEmpty ? "" : drawing()))
    }

    /// Removes the display and writes the summary. Returns when both are done; later events are ignored.
    package func finish() { queue.sync { end() } }

    /// Like ``finish()``, for a process that is about to exit: waits at most 0.2 s for a terminal that accepts no
    /// output.
    package func abandon() {
        let ended = DispatchSemaphore(value: 0)
        queue.async { [self] in
            end()
            ended.signal()
        }
        _ = ended.wait(timeout: .now() + 0.2)
    }

    private func end() {
        guard !isFinished else { return }
        isFinished = true
        for source in sources { source.cancel() }
        show(joinedLine() + repeated.lines.compactMap { log.line(.warning, $0) })
        let seconds = elapsed()
        switch style {
        case .bar, .lines:
            let summary = state.tasks > 0 ? state.summary(at: seconds) : nil
            write(block.erase() + (summary.map { log.bareLine("\($0)") } ?? ""))
        case .json: record(nil, at: seconds)
        case .none: break
        }
    }

    private func record(_ event: ProgressEvent?, at seconds: Double) {
        if let line = try? JSONOutput.line(ProgressRecord(event, job: log.job, at: seconds, state: state)) {
            write(line)
        }
    }

    private func redraw(every seconds: Double) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(20))
        timer.setEventHandler { @Sendable [weak self] in self?.draw() }
        timer.activate()
        sources.append(timer)
    }

    private func redrawWhenResized() {
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        source.setEventHandler { @Sendable [weak self] in self?.draw() }
        source.activate()
        sources.append(source)
    }

    private func draw() {
        guard !isFinished, state.tasks > 0 else { return }
        if let snapshot { state.note(snapshot()) }
        if style == .bar {
            // Lines written before the display is drawn need not move it.
            if !block.isDrawn { show(joinedLine()) }
            let text = drawing()
            if !text.isEmpty { write(text) }
        } else {
            write(log.bareLine("\(state.line(at: elapsed()))"))
            guard log.level == .debug else { return }
            let layout = ProgressLayout(columns: 160, rows: 64)
            for line in layout.systems(state, at: elapsed(), room: 64) { write(log.bareLine(line)) }
        }
    }

    /// Returns the text of the display, or an empty text if it cannot be drawn.
    private func drawing() -> String {
        guard let size = size() else { return "" }
        // One column and one line stay free: a full screen makes some terminals scroll.
        let layout = ProgressLayout(columns: max(1, size.columns - 1), rows: max(1, size.rows - 1))
        return block.draw(layout.lines(state, at: elapsed()).map { log.usesColor ? $0.colored() : $0.plain })
    }

    private func elapsed() -> Double { (clock.now - start) / .seconds(1) }
}
