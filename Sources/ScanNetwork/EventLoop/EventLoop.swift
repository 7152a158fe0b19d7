import CLibUV
public import ScanCluster

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process's I/O thread: it moves bytes, fires timers, and is the executor of the code that serves connections.
///
/// All work of a connection runs on this one thread, so that no message waits for a thread switch. Bytes to send are
/// gathered while queued work runs, and written together after it.
public final class EventLoop: ScanExecutor, ScanClock, @unchecked Sendable {
    // Sendable: `remote` has a lock, `thread` is written before any other thread uses the loop, and all the rest is
    // touched only on the loop's own thread, which `assertOnLoop` checks.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    /// The loop that a process uses by default.
    public static let shared = EventLoop()

    enum Work {
        case task(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    struct Remote {
        var queue: [Work] = []
        var isAsleep = false
    }

    let uv: UnsafeMutablePointer<uv_loop_t>
    let timers: LoopTimers
    private let wakeUp: LoopWakeUp
    private let remote = Locked(Remote())
    @exclusivity(unchecked) private var local: [Work] = []
    @exclusivity(unchecked) private var running: [Work] = []
    @exclusivity(unchecked) private var dirty: [any Flushable] = []
    private var polling = BusyPolling()
    private var thread = pthread_self()

    /// Connections that exchange frames. Only on the loop.
    var openConnections = 0
    /// The time at which the current turn began; cheaper than ``now``.
    private(set) var turnStart: Instant

    /// Starts a loop on a new thread. Both exist until the process ends.
    package init() {
        uv = .allocate(capacity: 1)
        uv_loop_init(uv)
        wakeUp = LoopWakeUp(uv: uv)
        timers = LoopTimers(uv: uv)
        turnStart = Self.time
        signal(SIGPIPE, SIG_IGN)
        // The new thread waits for this lock, so that `isCurrent` is right from the first job on.
        remote.withLock { _ in thread = Self.startThread(self) }
    }

    private static func startThread(_ loop: EventLoop) -> pthread_t {
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let status = pthread_create(
            &thread, nil,
            { argument in
                // Some platforms declare the argument optional; it is the loop that is passed below.
                let argument: UnsafeMutableRawPointer? = argument
                if let argument { Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(loop).toOpaque())
        let started: pthread_t? = thread
        guard status == 0, let started else { fatalError("the thread of the event loop cannot be created") }
        pthread_detach(started)
        return started
    }

    private static var time: Instant { Instant(nanoseconds: Int64(bitPattern: uv_hrtime())) }

    /// Now, in nanoseconds of the system's monotonic clock.
    public var now: Instant { Self.time }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }

    func assertOnLoop() { assert(isCurrent, "called off the event loop") }

    // MARK: Work

    /// Runs `body` on the loop's thread, in a later step of this turn or in the next one.
    public func execute(_ body: @escaping @Sendable () -> Void) { add(.closure(body)) }

    /// Runs a job of the concurrency runtime on the loop's thread.
    public func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

    /// Confirms to the runtime that the caller is on the loop's thread.
    public func checkIsolated() { precondition(isCurrent, "called off the event loop") }

    private func add(_ work: Work) {
        if isCurrent {
            local.append(work)
            return
        }
        let mustWake = remote.withLock { remote in
            remote.queue.append(work)
            defer { remote.isAsleep = false }
            return remote.isAsleep
        }
        if mustWake { wakeUp.wake() }
    }

    /// Calls `target.flush()` after the work that is queued now. The target ensures that it is marked only once.
    func markDirty(_ target: any Flushable) {
        assertOnLoop()
        dirty.append(target)
    }

    // MARK: The loop

    private func run() {
        remote.withLock { _ in }
        while true {
            runQueue()
            flush()
            if local.isEmpty { wait() } else { uv_run(uv, UV_RUN_NOWAIT) }
            turnStart = Self.time
            timers.fire(at: turnStart)
        }
    }

    /// Waits until there is something to do: polls first, if ``BusyPolling`` decides so, and then sleeps.
    private func wait() {
        var polls = polling.begin(at: Self.time)
        while polls, !poll() {
            let offered = Self.time
            sched_yield()
            let now = Self.time
            polls = polling.goesOn(after: now.since(offered), at: now)
        }
        if !polls { sleep() }
        polling.end(at: Self.time)
    }

    /// Runs libuv's callbacks of pending events, without waiting.
    /// - Returns: whether there is something to do now; not every callback has that effect.
    private func poll() -> Bool {
        uv_run(uv, UV_RUN_NOWAIT)
        return !local.isEmpty || !dirty.isEmpty || timers.isDue || remote.withLock { !$0.queue.isEmpty }
    }

    private func sleep() {
        let mayWait = remote.withLock { remote in
            remote.isAsleep = remote.queue.isEmpty
            return remote.isAsleep
        }
        uv_run(uv, mayWait ? UV_RUN_ONCE : UV_RUN_NOWAIT)
        if mayWait { remote.withLock { $0.isAsleep = false } }
    }

    /// Runs queued work, and the work that this queues; returns after a few rounds, so that sockets are polled.
    private func runQueue() {
        for _ in 0..<8 {
            remote.withLock { remote in
                if !remote.queue.isEmpty {
                    local.append(contentsOf: remote.queue)
                    remote.queue.removeAll(keepingCapacity: true)
                }
            }
            if local.isEmpty { return }
            swap(&local, &running)
            for work in running {
                switch work {
                case .task(let task):
                    // On the task executor: on the serial executor, a job would be queued again at each call of a
                    // nonisolated function. Only this thread runs the code of the loop's actors in either case.
                    task.runSynchronously(on: asUnownedTaskExecutor())
                case .closure(let body): body()
                }
            }
            running.removeAll(keepingCapacity: true)
            // Peers receive these frames while the work that these submit runs.
            flush()
        }
    }

    private func flush() {
        // A flush may close a connection and so mark another one.
        var index = 0
        while index < dirty.count {
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }
}

/// Gathers bytes while queued work runs on the loop, and writes them after it.
protocol Flushable: AnyObject {
    func flush()
}
