internal import ScanSlots
internal import Dispatch
internal import Foundation
package import ScanCluster
internal import ScanNetwork
public import SkyFITS
internal import TaskJournal

/// Reads windows of an image, its mask and its weight map, one at a time, on a thread of its own, or lets the slots of this
/// process read theirs. CFITSIO is neither fast nor safe if several threads read one file: slots read stored samples, without
/// CFITSIO's files.
public actor ImageReader {
    private let executor = BlockingExecutor()
    /// Nil if the image lies on a node.
    let files: ImageFiles?
    /// Nil if the files have no stored samples that can be read.
    private let storedFiles: StoredFiles?
    /// The coded names of the files; nil if a node cannot read them by itself.
    private let origin: [UInt8]?
    /// Whether the names tell these files from others.
    private let isIdentified: Bool
    /// Nil if the image lies on a node.
    nonisolated let openFiles: OpenFiles?
    /// Where the image lies if that is a node.
    package nonisolated let node: NodeFiles?
    /// The file on that node.
    nonisolated let nodeImage: FileNames.File?
    /// The files before they were opened.
    public nonisolated let states: InputStates
    package nonisolated let copies = Locked<(@Sendable () -> FileCopies.Nodes)?>(nil)
    private var order: ReadingOrder
    // Windows that have not been requested yet, and their bytes, packed for a slot if `unpacksOnSlots`.
    private var ahead: [(window: WindowPixels, bytes: BulkBytes)] = []
    private var unpacksOnSlots = false
    /// The facts that nodes need to calibrate the image.
    nonisolated let frame: Frame?
    private nonisolated let kept: Locked<RecentWindows>
    /// Gets the pixels of the whole image where they are read for a slot of this process.
    nonisolated let wholeImage = Locked<(@Sendable (UnsafeBufferPointer<Float>) -> Void)?>(nil)
    private nonisolated let reading = Locked(ReadingTime())
    private let slots: Int
    /// Read for nodes, side by side: at 10 Gbit/s one thread could not provide the memory.
    private let senders = (0..<4).map { _ in BlockingExecutor(label: "skyfarm.sender") }
    private var sent = 0
    private var expected: Set<WindowPixels> = []
    // Signalled when a pass needs no more pixels, and when the computation of checksums is cancelled; wakes one waiter.
    private nonisolated let passEnd = DispatchSemaphore(value: 0)

    /// Pixels of the windows that were read so far.
    public var readPixels: Int { reading.withLock { $0.pixels } }

    /// Seconds spent on reading windows so far; what the slots of this process spent, divided by their number.
    public var readingSeconds: Double { reading.withLock { $0.seconds } }

    /// Processor time that one system alone would take to read the windows that were read so far.
    package var readingProcessorSeconds: Double { reading.withLock { $0.processorSecondsAlone } }

    /// Processor time in which slots of this process have read windows.
    package var slotProcessorSeconds: Double { reading.withLock { $0.slotProcessorSeconds } }

    /// The image's size, header and other properties that are known without reading pixels.
    public nonisolated let summary: ImageSummary

    /// Bytes per pixel that are sent to a node, headers excluded, if it unpacks stored samples.
    public nonisolated let sentBytesPerPixel: Double

    /// Runs on the reader's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // A larger cache is not worth its cost: clearing its memory takes half as long as reading plain pixels again, and
    // several times as long on a virtual machine that returns free memory to its host.
    private static let keptPlainByteCount = 128 << 20

    /// Opens an image and the maps that belong to it; names may end in an HDU in brackets.
    ///
    /// If this process has `slots`, bands stay in memory between the passes of a scan: at most a sixteenth of the
    /// machine's memory, and at most 512 MiB, or 128 MiB if the files need no decompression; none of those that slots
    /// read again sooner. Nodes keep bands on their own.
    /// With `surveys` the headers of all HDUs of the files are read, for ``ImageSummary/warnings``.
    /// The cards of `head` replace those of the image's header.
    /// - Throws: `ImageError` if a file cannot be used, `ScanSetupError` if a map has another size than the image.
    public init(
        image name: String, mask maskName: String? = nil, weights weightsName: String? = nil, slots: Int = 0,
        surveys: Bool = true, head: FITSHeader? = nil
    ) throws {
        try self.init(
            image: name, mask: maskName, weights: weightsName, slots: slots,
            Preparation(surveys: surveys, head: head))
    }

    /// Opens the image as ``init(image:mask:weights:slots:surveys:head:)`` does, prepared in further ways.
    package init(
        image name: String, mask maskName: String?, weights weightsName: String?, slots: Int,
        _ preparation: Preparation
    ) throws {
        let surveys = preparation.surveys
        let image = try surveys ? FITSImage(surveying: name) : FITSImage(name, layout: preparation.layout)
        let calibration = try preparation.calibration?(image)
        let (width, height) = calibration.map { ($0.width, $0.height) } ?? (image.width, image.height)
        func map(_ name: String?, _ kind: String) throws -> (name: String, file: FITSImage)? {
            guard let name else { return nil }
            let map = try surveys ? FITSImage(surveying: name) : FITSImage(name)
            guard map.width == width, map.height == height else {
                throw ScanSetupError(
                    "\(name): the \(kind) is \(map.width) by \(map.height) pixels, the image "
                        + "\(width) by \(height); give one of the same size")
            }
            return (name, map)
        }
        let (mask, weights) = (try map(maskName, "mask"), try map(weightsName, "weight map"))
        var files = ImageFiles(image: image, mask: mask?.file, weights: weights?.file)
        files.calibration = calibration
        summary = ImageSummary(files, mask: mask, weights: weights, head: preparation.head)
        let opened = try OpenFiles(files)
        (openFiles, nodeImage, states) = (opened, nil, InputStates(files))
        let names = FileNames(files, opened)
        origin = try names.map { try WireEncoder().encode($0) }
        isIdentified = names?.areIdentified ?? false
        (self.files, node) = (files, nil)
        storedFiles = StoredFiles(files, in: opened)
        frame = storedFiles == nil ? nil : Frame(files)
        let pixel = WindowPixels(
            rect: PixelRect(x: 0..<1, y: 0..<1), hasWeights: weights != nil, hasMask: mask != nil)
        sentBytesPerPixel = min(Double(pixel.byteCount), storedFiles?.bytesPerPixel ?? .infinity)
        let most = files.isTileCompressed ? 512 << 20 : Self.keptPlainByteCount
        let share = Int(ProcessInfo.processInfo.physicalMemory / 16)
        kept = Locked(RecentWindows(limit: slots == 0 ? 0 : min(most, share)))
        self.slots = slots
        order = ReadingOrder(slots: slots, decompresses: files.isTileCompressed)
    }

    /// A reader of an image that lies on a node; `name`, `imageCount` and `head` as in ``NodeFiles``.
    package init(
        _ image: NodeFileAnswer.Image, on node: NodeFiles, name: String, imageCount: Int, head: FITSHeader?
    ) throws {
        summary = ImageSummary(image, name: name, imageCount: imageCount, head: head)
        (files, storedFiles, openFiles, frame) = (nil, nil, nil, nil)
        (self.node, nodeImage, states) = (node, image.file, InputStates(image: image.state))
        origin = try WireEncoder().encode(FileNames(image: image.file))
        isIdentified = true
        sentBytesPerPixel = Double(MemoryLayout<Float>.stride)
        kept = Locked(RecentWindows(limit: 0))
        slots = 0
        order = ReadingOrder(slots: 0, decompresses: false)
    }

    /// XXH3-64 of every file that the scan depends on, of the image and of its maps; without CFITSIO.
    ///
    /// The files are those that were opened with the reader, whatever has replaced them. If the pixels that a scan reads are
    /// those that the checksum is of is known once ``confirmUnchanged()`` returns.
    /// - Parameter patience: the longest time to wait for the end of the first pass, since slots need its pixels. If it
    ///   is positive, the files are read with low priority.
    /// - Returns: the checksums.
    /// - Throws: `ImageError` if a file cannot be read or was changed, `CancellationError` soon after the task is
    ///   cancelled.
    public nonisolated func checksums(patience: Duration = .zero) async throws -> InputChecksums {
        guard let openFiles else {
            guard let node, let reference = checksumReference else { throw Self.unreadable(summary) }
            return try await node.checksums(ChecksumTask(of: summary), by: reference)
        }
        let cancellation = ScanCancellation()
        let checksum: @Sendable (StoredBytes) throws -> UInt64 = { bytes in
            try bytes.checksum {
                if cancellation.isCancelled { throw CancellationError() }
            }
        }
        // A request that is not urgent runs at low priority, so that it uses processors only when the slots are idle.
        let threads = patience > .zero ? ScanThreads(oneWithNiceness: 10) : nil
        return try await withTaskCancellationHandler {
            try await Self.run(on: threads, cancellation) { [passEnd] in
                _ = passEnd.wait(timeout: .now() + patience / .seconds(1))
                let checksums = InputChecksums(
                    image: try checksum(openFiles.image), mask: try openFiles.mask.map(checksum),
                    weights: try openFiles.weights.map(checksum))
                try openFiles.requireUnchanged()
                return checksums
            }
        } onCancel: {
            cancellation.cancel()
            passEnd.signal()
        }
    }

    /// The layout of the bulk bytes of the window `rect`.
    package nonisolated func contents(of rect: PixelRect) -> WindowPixels {
        WindowPixels(rect: rect, hasWeights: summary.weights != nil, hasMask: summary.mask != nil)
    }

    /// A reference by which a node that has the same files can read the bytes of `window`; nil if a file is compressed
    /// as a whole.
    package nonisolated func reference(to window: WindowPixels) -> BulkReference? {
        guard let origin, let part = try? WireEncoder().encode(window) else { return nil }
        return BulkReference(origin: origin, part: part, identifiesBytes: isIdentified)
    }

    /// Whether references with this origin refer to the files of this reader.
    nonisolated func isOrigin(_ origin: [UInt8]) -> Bool { origin == self.origin }

    /// A reference by which such a node can compute the checksums of the files; nil if there is none.
    nonisolated var checksumReference: BulkReference? {
        guard isIdentified, let origin else { return nil }
        return BulkReference(origin: origin, part: ChecksumTask.part, identifiesBytes: true)
    }

    /// Reads a window; then reads ahead those that will probably be requested next.
    ///
    /// `position` is nil unless the window is that of a band. The last window of a pass, and any window without a
    /// position, end the wait in ``checksums(patience:)``.
    /// - Throws: ``ImageError`` if the samples cannot be read, `CancellationError` if the request is cancelled.
    package func read(_ window: WindowPixels, at position: PassPosition? = nil) throws -> BulkBytes {
        // Reads queue here: after an interrupt, those that have not begun are skipped.
        try Task.checkCancellation()
        let bytes: BulkBytes
        if let ahead = takeAhead(window), ahead.unpackedCount == nil {
            bytes = ahead
        } else {
            bytes = try kept.withLock { $0.take(window) } ?? read(window)
        }
        if let position {
            if position.isFirstPass { kept.withLock { $0.add(window, bytes, before: position.rest) } }
            order.hand(window, at: position)
            Task { self.readAhead() }
        } else {
            ahead = []
        }
        if (position?.rest ?? 0) == 0 { endPass() }
        return bytes
    }

    /// Reads a window packed like this, for a node; as ``read(_:at:)`` does if that is not shorter. Compressed tiles are
    /// not light: decompressing them takes the node longer than receiving the pixels.
    ///
    /// Nothing is read ahead for nodes: reading stored samples takes less time than sending them. Pixels that were read
    /// ahead are dropped, since the window goes to a node, which keeps them. For a slot of this process only the window of
    /// the whole image is packed: no other task needs its pixels.
    /// - Throws: ``ImageError`` if the samples cannot be read, `CancellationError` if the request is cancelled.
    package func read(
        _ window: WindowPixels, at position: PassPosition? = nil, packing: BulkPacking
    ) async throws -> BulkBytes {
        switch packing {
        // The slot calibrates raw samples itself.
        case .local where position == nil && isWhole(window) && files?.calibration == nil:
            return try readForSlot(window)
        case .none: return try read(window, at: position)
        case .deferred, .local: return try deferred(window, at: position)
        case .light where files?.isTileCompressed == true && frame == nil: return try read(window, at: position)
        case .light, .stored: break
        }
        try Task.checkCancellation()
        // A node that lacks masters gets calibrated pixels. An error appears again, with its words, when they are read.
        guard let bytes = try? await readToSend(window, asStored: frame == nil || packing == .stored) else {
            return try read(window, at: position)
        }
        ahead.removeAll { $0.window == window }
        _ = kept.withLock { $0.take(window) }
        if let position { order.hand(window, at: position) }
        if (position?.rest ?? 0) == 0 { endPass() }
        return bytes
    }

    /// The pixels of a window that a slot of this process reads itself, so that slots read side by side. Plain floats are
    /// not kept for the second pass: memory for them costs as much as reading them again.
    private func deferred(_ window: WindowPixels, at position: PassPosition?) throws -> BulkBytes {
        guard let storedFiles, let files else { return try read(window, at: position) }
        try Task.checkCancellation()
        let ahead = takeAhead(window)
        if let position {
            order.hand(window, at: position)
            if position.isFirstPass { expect(order.next, storedFiles) }
        }
        if (position?.rest ?? 0) == 0 { endPass() }
        if let ahead, ahead.unpackedCount == nil { return ahead }
        let isKept = !files.isPlainFloats && position?.isFirstPass == true
        let (rest, slots) = (position?.rest ?? 0, slots)
        return BulkBytes(deferred: window.byteCount) { [kept, reading] in
            if let bytes = kept.withLock({ $0.take(window) }) { return bytes }
            let start = ReadingTime.Start()
            let bytes = try storedFiles.pixels(window)
            reading.withLock {
                $0.add(pixels: window.rect.area, since: start, isConverted: true, threads: slots, onSlot: true)
            }
            self.pass(bytes, of: window)
            if isKept { kept.withLock { $0.add(window, bytes, before: rest) } }
            return bytes
        }
    }

    /// Asks the system to read windows, each once.
    private func expect(_ windows: [WindowPixels], _ files: StoredFiles) {
        for window in windows where expected.insert(window).inserted { files.expect(window) }
    }

    private func readForSlot(_ window: WindowPixels) throws -> BulkBytes {
        try Task.checkCancellation()
        let bytes = try takeAhead(window) ?? packedForSlot(window) ?? read(window)
        endPass()
        if bytes.unpackedCount == nil { pass(bytes, of: window) }
        guard bytes.unpackedCount != nil, wholeImage.withLock({ $0 != nil }) else { return bytes }
        return BulkBytes(packed: bytes) { self.pass($0, of: window) }
    }

    /// The stored samples of a window; nil if it has none, or if they cannot be read: the error, with its words, appears
    /// again when the pixels are read.
    private func packedForSlot(_ window: WindowPixels) -> BulkBytes? {
        try? readStored(window)
    }

    private func takeAhead(_ window: WindowPixels) -> BulkBytes? {
        ahead.firstIndex { $0.window == window }.map { ahead.remove(at: $0).bytes }
    }

    /// The pixels of a window, wherever the image lies.
    /// - Throws: as ``read(_:at:)``; ``ScanError``.
    package func pixels(of window: WindowPixels) async throws -> BulkBytes {
        guard let node else { return try read(window, at: nil) }
        guard let reference = reference(to: window) else { throw Self.unreadable(summary) }
        return try await node.pixels(window, by: reference)
    }

    private static func unreadable(_ image: ImageSummary) -> ImageError {
        ImageError(.unreadable, "\(image.name): cannot be read from here")
    }

    /// Marks the end of a pass, which needs no more pixels: a wait in ``checksums(patience:)`` ends.
    nonisolated func endPass() { passEnd.signal() }

    /// Reads ahead the first of `windows`, with which the first pass will begin. `unpacksOnSlots`: for slots of this
    /// process that unpack the window of a whole image.
    package func readAhead(_ windows: [WindowPixels], unpacksOnSlots: Bool = false) {
        self.unpacksOnSlots = unpacksOnSlots
        order.expect(windows)
        readAhead()
    }

    /// Windows that were read before they were requested.
    package var windowsAhead: [WindowPixels] { ahead.map(\.window) }

    private func readAhead() {
        // Calibrating is work of the slots.
        if files == nil || files?.calibration != nil { return }
        // Windows that are no longer expected are dropped: a window is not requested if its node has kept the pixels.
        ahead.removeAll { !order.next.contains($0.window) }
        let next = order.next.first { window in
            !kept.withLock { $0.contains(window) } && !ahead.contains { $0.window == window }
        }
        // A window that cannot be read fails again, with its error, when it is requested.
        guard let next else { return }
        let packed = unpacksOnSlots && isWhole(next) ? packedForSlot(next) : nil
        guard let bytes = try? packed ?? read(next) else { return }
        ahead.append((next, bytes))
        // Requests that arrived meanwhile are served before the next window is read ahead.
        Task { self.readAhead() }
    }

    private func read(_ window: WindowPixels) throws -> BulkBytes {
        guard let files else { throw Self.unreadable(summary) }
        let start = ReadingTime.Start()
        defer { reading.withLock { $0.add(pixels: window.rect.area, since: start, isConverted: true) } }
        return try files.read(window)
    }

    private func readToSend(_ window: WindowPixels, asStored: Bool) async throws -> BulkBytes? {
        guard let storedFiles else { return nil }
        sent += 1
        return try await senders[sent % senders.count].run { [reading, threads = senders.count] in
            let start = ReadingTime.Start()
            let packed = asStored ? try storedFiles.read(window) : nil
            // While they are in the processor's cache, rather than on the thread that sends them.
            _ = packed?.checksum(checksum)
            let (bytes, area) = (try packed ?? storedFiles.pixels(window), window.rect.area)
            reading.withLock { $0.add(pixels: area, since: start, isConverted: packed == nil, threads: threads) }
            return bytes
        }
    }

    private func readStored(_ window: WindowPixels) throws -> BulkBytes? {
        guard let storedFiles else { return nil }
        let start = ReadingTime.Start()
        defer { reading.withLock { $0.add(pixels: window.rect.area, since: start, isConverted: false) } }
        return try storedFiles.read(window, mayBeLonger: true)
    }

    /// Runs `body` on a thread of `threads`, or of the system's.
    /// - Throws: what `body` throws, `CancellationError` if it was cancelled before it began.
    private static func run<Result: Sendable>(
        on threads: ScanThreads?, _ cancellation: ScanCancellation, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard let threads else { return try await BlockingExecutor(label: "skyfarm.checksum").run(body) }
        return try await withCheckedThrowingContinuation { continuation in
            threads.submit(
                ClosureWork(context: ScanContext(cancellation: cancellation)) { _ in
                    continuation.resume(with: .init(catching: body))
                } skipped: {
                    continuation.resume(throwing: CancellationError())
                })
        }
    }
}
