import CLibUV

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ends a loop's wait from any thread, with a byte through a pipe.
///
/// libuv's own handle for this makes a woken loop spin until the thread that woke it has returned from the kernel.
struct LoopWakeUp {
    private let sender: Int32

    /// Makes `uv` watch a new pipe, until the process ends.
    init(uv: UnsafeMutablePointer<uv_loop_t>) {
        var ends: (uv_file, uv_file) = (-1, -1)
        let flags = CInt(UV_NONBLOCK_PIPE.rawValue)
        let status = withUnsafeMutablePointer(to: &ends) { ends in
            ends.withMemoryRebound(to: uv_file.self, capacity: 2) { uv_pipe($0, flags, flags) }
        }
        guard status == 0 else { fatalError("the pipe of the event loop cannot be created") }
        sender = ends.1
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(uv, poll, ends.0) == 0 else { fatalError("the event loop cannot watch its pipe") }
        poll.pointee.data = UnsafeMutableRawPointer(bitPattern: Int(ends.0))
        let started = uv_poll_start(poll, CInt(UV_READABLE.rawValue)) { poll, _, _ in
            let receiver = Int32(Int(bitPattern: poll?.pointee.data))
            _ = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { read(receiver, $0.baseAddress, $0.count) }
        }
        guard started == 0 else { fatalError("the event loop cannot watch its pipe") }
    }

    /// Wakes the loop. Call once for each time it waits.
    func wake() {
        var byte: UInt8 = 0
        // If the pipe is full, the write fails, but the loop wakes.
        _ = write(sender, &byte, 1)
    }
}
