internal import Dispatch
internal import Foundation
internal import ScanCluster
internal import ScanNetwork
internal import SkyImage

/// Reads windows of an image, its mask and its weight map, one at a time, on a thread of its own.
///
/// cfitsio is neither fast nor safe on several threads of one file, and a disk is best read in order.
public actor ImageReader {
    private let executor = ReaderExecutor()
    private let files: ImageFiles
    /// The coded names of the files; nil if a node cannot read them by itself.
    private let origin: [UInt8]?
    private let stored: (image: StoredImage, mask: StoredImage?, weights: StoredImage?)
    private var order = ReadingOrder()
    // A window that nobody has asked for yet, and its bytes.
    private var ahead: (window: WindowPixels, bytes: BulkBytes)?
    private var kept: RecentWindows
    private var reading = Duration.zero
    // Signalled when a pass needs no more pixels, and when nobody waits for checksums any more; wakes one who waits.
    private nonisolated let passEnd = DispatchSemaphore(value: 0)

    /// Seconds that went into reading windows so far.
    public var readingSeconds: Double { reading / .seconds(1) }

    /// The image's size, header and what else is known without reading pixels.
    public nonisolated let summary: ImageSummary

    /// Runs on the reader's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Bytes of bands that a process with slots of its own keeps between the passes: a sixteenth of the machine's memory,
    /// and 512 MiB at most.
    public static var keptByteCountForSlots: Int { min(512 << 20, Int(ProcessInfo.processInfo.physicalMemory / 16)) }

    // Memory that the system must clear first takes as long as to read plain pixels again, and where the machine is a
    // virtual one that gives free memory back to its host, a multiple of it. So not many more are kept than slots have
    // at the end of a pass anyway.
    private static let keptPlainByteCount = 128 << 20

    /// Opens an image and the maps that belong to it; names may end in an HDU in brackets.
    ///
    /// Up to `keptByteCount` bytes of bands, but less of those that need no decompression, stay in memory between the
    /// passes of a scan, for the systems of this process; nodes keep their own.
    /// - Throws: ``ImageError`` if a file cannot be used, ``ScanSetupError`` if a map has another size than the image.
    public init(
        image name: String, mask maskName: String? = nil, weights weightsName: String? = nil, keptByteCount: Int = 0
    ) throws {
        let image = try FITSImage(name)
        func map(_ name: String?, _ kind: String) throws -> FITSImage? {
            guard let name else { return nil }
            let map = try FITSImage(name)
            guard map.width == image.width, map.height == image.height else {
                throw ScanSetupError(
                    "\(name): the \(kind) is \(map.width) by \(map.height) pixels, the image "
                        + "\(image.width) by \(image.height); give one of the same size")
            }
            return map
        }
        let files = ImageFiles(
            image: image, mask: try map(maskName, "mask"), weights: try map(weightsName, "weight map"))
        summary = ImageSummary(image, mask: maskName, weights: weightsName)
        stored = (image.stored, files.mask?.stored, files.weights?.stored)
        origin = try FileNames(files).map { try WireEncoder().encode($0) }
        self.files = files
        let most = files.isTileCompressed ? Int.max : Self.keptPlainByteCount
        kept = RecentWindows(limit: min(keptByteCount, most))
    }

    /// XXH3-64 of every file that the scan depends on, of the image and of its maps; without CFITSIO.
    ///
    /// - Parameter patience: the files are opened at once, but read after the pixels of the first pass, for which slots
    ///   wait, though so much later at most.
    /// - Returns: the checksums.
    /// - Throws: ``ImageError`` if a file cannot be read, `CancellationError` soon after the task is cancelled.
    public nonisolated func checksums(patience: Duration = .zero) async throws -> InputChecksums {
        let cancellation = ScanCancellation()
        let checksum: @Sendable (StoredBytes) throws -> UInt64 = { bytes in
            try bytes.checksum {
                if cancellation.isCancelled { throw CancellationError() }
            }
        }
        // Whoever has patience leaves the processors to the slots, and takes the idle moments at the end of their passes.
        let threads = ScanThreads(count: 1, niceness: patience > .zero ? 10 : 0)
        return try await withTaskCancellationHandler {
            try await threads.run(cancellation) { [stored, passEnd] in
                let (image, mask) = (try stored.image.opened(), try stored.mask?.opened())
                let weights = try stored.weights?.opened()
                _ = passEnd.wait(timeout: .now() + patience / .seconds(1))
                return InputChecksums(
                    image: try checksum(image), mask: try mask.map(checksum), weights: try weights.map(checksum))
            }
        } onCancel: {
            cancellation.cancel()
            passEnd.signal()
        }
    }

    /// What the bulk bytes of the window `rect` hold.
    nonisolated func contents(of rect: PixelRect) -> WindowPixels {
        WindowPixels(rect: rect, hasWeights: summary.weights != nil, hasMask: summary.mask != nil)
    }

    /// Where a node that has the same files finds the bytes of `window` by itself; nil if they are compressed as a whole.
    nonisolated func reference(to window: WindowPixels) -> BulkReference? {
        guard let origin, let part = try? WireEncoder().encode(window) else { return nil }
        return BulkReference(origin: origin, part: part)
    }

    /// Reads a window, and while it is scanned the one that will probably be asked for after it.
    ///
    /// With `keeping` the window is expected to be asked for once more. Without a `next` one the pass needs no more.
    /// - Throws: ``ImageError`` if the samples cannot be read, `CancellationError` if nobody waits for them any more.
    func read(_ window: WindowPixels, before next: WindowPixels?, keeping: Bool = false) throws -> BulkBytes {
        // Reads queue here: after an interrupt those that have not begun are not worth the disk's time.
        try Task.checkCancellation()
        let bytes: BulkBytes
        if let ahead, ahead.window == window {
            bytes = ahead.bytes
            self.ahead = nil
        } else {
            bytes = try kept.take(window) ?? read(window)
        }
        if keeping { kept.add(window, bytes) }
        order.hand(window, before: next, isFirstPass: keeping)
        Task { self.readAhead() }
        if next == nil { endPass() }
        return bytes
    }

    /// Reads whole rows of the image, for a picture of it.
    /// - Throws: ``ImageError`` if the samples cannot be read.
    public func read(rows: Range<Int>) throws -> [Float] {
        try [Float](unsafeUninitializedCapacity: rows.count * files.image.width) { buffer, count in
            try files.image.read(rows: rows, into: buffer)
            count = rows.count * files.image.width
        }
    }

    /// No more pixels are wanted for this pass: whoever has patience with it need not wait any longer.
    nonisolated func endPass() { passEnd.signal() }

    private func readAhead() {
        guard let window = order.next, ahead?.window != window, !kept.contains(window) else { return }
        // A window that a node has read by itself is not asked for.
        ahead = nil
        // What cannot be read fails again, with its error, when it is asked for.
        if let bytes = try? read(window) { ahead = (window, bytes) }
    }

    private func read(_ window: WindowPixels) throws -> BulkBytes {
        let start = ContinuousClock.now
        defer { reading += ContinuousClock.now - start }
        return try files.read(window)
    }
}

extension ScanThreads {
    /// Runs `body` on one of these threads.
    /// - Throws: what `body` throws, `CancellationError` if it was cancelled before it began.
    fileprivate func run<Result: Sendable>(
        _ cancellation: ScanCancellation, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(
                ScanJob(context: ScanContext(cancellation: cancellation)) { _ in
                    continuation.resume(with: .init(catching: body))
                } skipped: {
                    continuation.resume(throwing: CancellationError())
                })
        }
    }
}
