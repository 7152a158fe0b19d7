import ScanBasics

extension DiscoveryState {
    /// Queues an instance for resolution, unless it is already queued or being resolved.
    mutating func enqueue(_ instance: ServiceInstance) {
        guard let sighting = sightings[instance], sighting.phase != .queued, !sighting.isResolving else { return }
        sightings[instance]?.phase = .queued
        queue.append(instance)
    }

    mutating func startResolutions(at now: Instant) {
        guard browser == .listening else { return }
        let interval = max(
            settings.resolutionInterval, settings.resolutionIntervalPerInstance * sightings.count)
        while !queue.isEmpty, resolutions < settings.maximumResolutions, nextResolution.map({ $0 <= now }) ?? true {
            let instance = queue.removeFirst()
            sightings[instance]?.phase = .resolving(until: now.advanced(by: settings.resolutionTimeout))
            sightings[instance]?.answer = nil
            sightings[instance]?.isFirstAddress = true
            resolutions += 1
            if interval > .zero { nextResolution = now.advanced(by: interval) }
            actions.append(.resolve(instance))
        }
    }

    mutating func resolve(_ instance: ServiceInstance, to service: ResolvedService, at now: Instant) {
        guard let sighting = sightings[instance], sighting.isResolving else { return }
        guard service.port != 0, !service.host.isEmpty else { return failResolution(of: instance, at: now) }
        sightings[instance]?.answer = service
        if sighting.answer?.host != service.host { actions.append(.lookUp(instance, host: service.host)) }
    }

    mutating func add(
        _ address: HostAddress, of instance: ServiceInstance, isOnThisMachine: Bool, at now: Instant
    ) {
        guard let sighting = sightings[instance], sighting.isResolving, let service = sighting.answer,
            address.isUnicast, !address.isLoopback || isLoopback(instance.interface)
        else { return }
        var knowledge = sighting.knowledge
        if knowledge?.service != service || sighting.isFirstAddress {
            knowledge = Sighting.Knowledge(service: service, addresses: [], isOnThisMachine: false)
        }
        guard var knowledge, !knowledge.addresses.contains(address),
            knowledge.addresses.count < settings.maximumAddresses
        else { return }
        knowledge.addresses.append(address)
        knowledge.isOnThisMachine = knowledge.isOnThisMachine || isOnThisMachine
        if sighting.isFirstAddress {
            sightings[instance]?.phase = .resolving(until: now.advanced(by: settings.addressWindow))
            sightings[instance]?.isFirstAddress = false
        }
        sightings[instance]?.failures = 0
        attach(instance, knowledge, at: now)
    }

    /// Handles the end of a resolution's sequences, with or without an error. It has succeeded if there is an address.
    mutating func endResolution(of instance: ServiceInstance, at now: Instant) {
        guard let sighting = sightings[instance], sighting.isResolving else { return }
        if sighting.isFirstAddress {
            failResolution(of: instance, at: now)
        } else {
            stopResolving(instance, then: .settled)
        }
    }

    mutating func resolutionDeadlinePassed(_ instance: ServiceInstance, at now: Instant) {
        switch sightings[instance]?.phase {
        case .resolving: endResolution(of: instance, at: now)
        case .waiting: enqueue(instance)
        case .queued, .settled, nil: break
        }
    }

    mutating func stopResolving(_ instance: ServiceInstance, then phase: Sighting.Phase) {
        sightings[instance]?.phase = phase
        resolutions -= 1
        actions.append(.stopResolving(instance))
    }

    private mutating func failResolution(of instance: ServiceInstance, at now: Instant) {
        let failures = (sightings[instance]?.failures ?? 0) + 1
        sightings[instance]?.failures = failures
        let pause = settings.resolutionRetry.pause(afterFailures: failures)
        stopResolving(instance, then: .waiting(until: now.advanced(by: pause)))
        detach(instance, at: now)
    }

    private func isLoopback(_ interface: UInt32) -> Bool { interface == 0 || interface == loopbackInterface }
}
