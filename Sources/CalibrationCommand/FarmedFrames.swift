import Console
import ImageScanning
import ScanBasics
import ScanCluster
import ScanNetwork
import SkyCalibration
import SkyFITS
import SkyScan

/// The frames of one recipe, whose cosmic rays a ``RayFarm`` searches.
final class FarmedFrames: Sendable {
    typealias Outcome = [Result<CalibratedFile.Summary, any Error>]

    private let farm: RayFarm
    private let frames: [ImageLocation]
    private let outputs: [CalibrationPlan.Output]
    private let calibration: FrameCalibration
    private let frameWriter: FrameWriter
    private let delivery: MasterDelivery
    private let queue: ImageQueue
    private let state: Locked<State>

    private struct State {
        var results: Outcome
        /// Number of images that wait for the search, or are searched; of a frame that is not open, one.
        var left: Int
    }

    init(
        _ farm: RayFarm, _ frames: [ImageLocation], _ outputs: [CalibrationPlan.Output],
        _ calibration: FrameCalibration, _ writer: FrameWriter
    ) {
        (self.farm, self.frames, self.outputs) = (farm, frames, outputs)
        (self.calibration, frameWriter) = (calibration, writer)
        delivery = MasterDelivery(farm.node.coordinator, images: frames.count)
        queue = ImageQueue(systems: farm.node.systems)
        state = Locked(
            State(
                results: Outcome(repeating: .failure(CancellationError()), count: frames.count), left: frames.count))
    }

    /// Calibrates the frames. One that cannot be calibrated fails alone; those that a cancellation has stopped have its error.
    /// - Throws: what ends the command: ``ScanError`` if there is no system, ``ConnectError``.
    func run() async throws -> Outcome {
        delivery.begin()
        defer { delivery.end() }
        queue.expect(images: frames.count)
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for index in frames.indices { try await start(index, in: &group) }
            }
        } catch {
            // The rest has not been done.
            guard error is CancellationError || (error as? ScanError)?.code == .cancelled else { throw error }
        }
        return outcome
    }

    /// The results so far.
    var outcome: Outcome { state.withLock(\.results) }

    private func start(_ index: Int, in group: inout ThrowingDiscardingTaskGroup<any Error>) async throws {
        let frame = frames[index]
        // Images that have no task yet.
        var rest = 1
        do {
            let images = try await farm.opener.run { try FrameImages(frame) }
            let search = FrameSearch(index, images)
            rest = images.images.count
            queue.expect(images: rest - 1)
            state.withLock { $0.left += rest - 1 }
            if images.images.isEmpty { group.addTask { await self.write(search) } }
            for place in images.images.indices {
                let ticket = try await queue.enter()
                let image: OpenImage
                do {
                    image = try await open(images, place)
                } catch {
                    queue.leave(ticket)
                    throw error
                }
                if place == 0 { search.first.withLock { $0 = image.reader } }
                rest -= 1
                group.addTask { try await self.search(image, place, of: search, ticket) }
            }
        } catch {
            queue.expect(images: -rest)
            state.withLock { $0.left -= rest }
            if Self.endsCommand(error) { throw error }
            fail(index, error)
        }
    }

    /// An image, and the search that its frame needs.
    private struct OpenImage: Sendable {
        var reader: ImageReader
        var parameters: CosmicRayParameters
    }

    private func open(_ images: FrameImages, _ index: Int) async throws -> OpenImage {
        let (location, place) = (images.location(of: index), images.place(of: index))
        return try await farm.opener.run { [calibration] in
            let parameters = Locked<CosmicRayParameters?>(nil)
            let reader = try ImageReader(
                image: location.description, mask: nil, weights: nil, slots: 0,
                .init(surveys: false) { image in
                    let calibrated = try CalibratedImage(image, calibration, at: place, leavesRays: true)
                    parameters.withLock { $0 = calibrated.openSearch }
                    return calibrated
                })
            guard let parameters = parameters.withLock(\.self) else {
                throw ScanSetupError("\(location): no search for cosmic rays")
            }
            return OpenImage(reader: reader, parameters: parameters)
        }
    }

    /// Searches an image, and writes its frame if it is the last one of it.
    private func search(
        _ image: OpenImage, _ place: Int, of frame: FrameSearch, _ ticket: ImageQueue.Ticket
    ) async throws {
        let result: Result<FoundRays, any Error>
        do {
            result = .success(try await search(image, ticket))
        } catch {
            if Self.endsCommand(error) { throw error }
            result = .failure(error)
        }
        if frame.finish(place, result) { await write(frame) }
    }

    private func search(_ image: OpenImage, _ ticket: ImageQueue.Ticket) async throws -> FoundRays {
        // Frames that are written hold up no search.
        defer {
            queue.leave(ticket)
            state.withLock { $0.left -= 1 }
        }
        let (reader, name) = (image.reader, image.reader.summary.name)
        delivery.need(reader)
        if farm.cluster.slotsHere == 0 { await delivery.settle() }
        let slots = farm.node.systems.snapshot.reduce(0) { $0 + $1.slots }
        let bands = RayBands(
            width: reader.summary.width, height: reader.summary.height, image.parameters, rows: farm.bandRows,
            slots: slots, images: state.withLock(\.left))
        let levels = bands.needLevels ? try await reader.rayLevels(image.parameters) : nil
        // Nothing can be searched.
        if bands.needLevels, levels == nil { return FoundRays() }
        let tasks = bands.tasks(levels)
        let cost = tasks.reduce(0) { $0 + $1.cost }
        queue.know(cost: cost)
        queue.handle(.sectors(.extraction, waiting: tasks.map(\.window.rect), resumed: []), of: ticket)
        farm.events.display.handle(.planned(tasks: tasks.count, work: cost))
        let responses = farm.node.coordinator.responses(
            to: tasks, bulk: { reader.source(of: $0.window, at: nil, key: nil, isLastUse: false) }
        ) { [queue, farm] event in
            queue.handle(.job(.extraction, event), of: ticket)
            // The frame is named in the end.
            if case .taskFailed = event { return }
            farm.events.handle(.job(.extraction, event), of: name)
        }
        var outputs = [CosmicRayTask.Output?](repeating: nil, count: tasks.count)
        for try await response in responses {
            switch response.result {
            case .success(let output):
                outputs[response.id] = output
                farm.systems.withLock { $0[response.system, default: 0] += 1 }
            case .failure(let failure): throw ScanSetupError("\(name): \(failure.message)")
            }
        }
        try Task.checkCancellation()
        return bands.merged(outputs.compactMap(\.self))
    }

    private func write(_ frame: FrameSearch) async {
        let writer = farm.writers[frame.index % farm.writers.count]
        do {
            let rays = try frame.rays()
            let summary = try await writer.run { [calibration, frameWriter, frames, outputs] in
                try frameWriter.write(frames[frame.index], to: outputs[frame.index], calibration, rays: rays) {
                    try frame.first.withLock(\.self)?.requireUnchanged()
                }
            }
            end(frame.index, .success(summary))
        } catch {
            fail(frame.index, error)
        }
    }

    private func fail(_ index: Int, _ error: any Error) { end(index, .failure(error)) }

    private func end(_ index: Int, _ result: Result<CalibratedFile.Summary, any Error>) {
        state.withLock { $0.results[index] = result }
        let name = frames[index].description
        let ended: ProgressEvent
        switch result {
        case .success: ended = .fileEnded(file: name, outputs: [outputs[index].path])
        case .failure(let error): ended = .fileEnded(file: name, outputs: [], errors: ["\(error)"])
        }
        farm.events.display.handle(ended)
    }

    /// Whether an error is none of one frame.
    private static func endsCommand(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is ConnectError: true
        case let error as ScanError: [.cancelled, .noSystem].contains(error.code)
        default: false
        }
    }
}

/// The search in the images of one frame.
private final class FrameSearch: Sendable {
    let index: Int
    /// The image that was opened first: by it a file is known to be the one that was searched.
    let first = Locked<ImageReader?>(nil)
    private let state: Locked<State>

    private struct State {
        var rays: [FoundRays]
        var left: Int
        var failure: (any Error)?
    }

    init(_ index: Int, _ images: FrameImages) {
        self.index = index
        let count = images.images.count
        state = Locked(State(rays: [FoundRays](repeating: FoundRays(), count: count), left: count))
    }

    /// The search in an image has ended.
    /// - Returns: whether it was the last one.
    func finish(_ place: Int, _ result: Result<FoundRays, any Error>) -> Bool {
        state.withLock { state in
            switch result {
            case .success(let rays): state.rays[place] = rays
            case .failure(let error): state.failure = state.failure ?? error
            }
            state.left -= 1
            return state.left == 0
        }
    }

    /// The cosmic rays of all images.
    /// - Throws: the error of the first image whose search has failed.
    func rays() throws -> [FoundRays] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.rays
        }
    }
}
