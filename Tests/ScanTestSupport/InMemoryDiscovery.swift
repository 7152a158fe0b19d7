import Dispatch
package import ScanDiscovery

/// A network in memory: a registered service is discovered by all holders of the same object.
///
/// A test can stop and start the daemon of this network, and announce services that do not exist.
package final class InMemoryDiscovery: ServiceDiscovery, @unchecked Sendable {
    // Sendable: mutable state is touched on `queue` only.
    private let queue = DispatchQueue(label: "skyfarm.discovery.memory")
    private var fault: DiscoveryError?
    private var services: [ServiceInstance: ResolvedService] = [:]
    private var hosts: [String: [HostAddress]] = [:]
    private var browsers: [Int: AsyncThrowingStream<BrowseEvent, any Error>.Continuation] = [:]
    private var registrations: [Int: (ServiceInstance, AsyncThrowingStream<String, any Error>.Continuation)] = [:]
    private var count = 0
    private let host: String
    private let interface: UInt32

    /// An empty network; what is registered is reached at `address`.
    package init(host: String = "memory.local.", address: HostAddress?, interface: UInt32 = 1) {
        self.host = host
        self.interface = interface
        hosts[host] = address.map { [$0] } ?? []
    }

    /// Makes the daemon fail: every sequence ends with `error`, and so do new ones until ``start()``.
    package func stop(_ error: DiscoveryError = DiscoveryError(.daemonLost, "the daemon was stopped")) {
        queue.sync {
            fault = error
            for browser in browsers.values { browser.finish(throwing: error) }
            for (instance, continuation) in registrations.values {
                services[instance] = nil
                continuation.finish(throwing: error)
            }
            browsers = [:]
            registrations = [:]
        }
    }

    /// Makes the daemon work again, with only the services that were announced by ``announce(_:_:addresses:)``.
    package func start() { queue.sync { fault = nil } }

    /// Announces a service of another machine.
    package func announce(_ instance: ServiceInstance, _ service: ResolvedService, addresses: [HostAddress]) {
        queue.sync {
            hosts[service.host] = addresses
            publish(instance, service)
        }
    }

    /// Withdraws one announcement.
    package func withdraw(_ instance: ServiceInstance) { queue.sync { retract(instance) } }

    package func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            do { try service.validate() } catch { return continuation.finish(throwing: error) }
            queue.sync {
                if let fault { return continuation.finish(throwing: fault) }
                let instance = ServiceInstance(name: service.name, interface: interface)
                let number = nextNumber()
                registrations[number] = (instance, continuation)
                publish(instance, ResolvedService(host: host, port: service.port, txt: service.txt))
                continuation.yield(service.name)
                continuation.onTermination = { [weak self] _ in self?.endRegistration(number) }
            }
        }
    }

    package func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        AsyncThrowingStream { continuation in
            queue.sync {
                if let fault { return continuation.finish(throwing: fault) }
                let number = nextNumber()
                browsers[number] = continuation
                continuation.yield(.started)
                for instance in services.keys.sorted() { continuation.yield(.added(instance)) }
                continuation.onTermination = { [weak self] _ in self?.endBrowsing(number) }
            }
        }
    }

    package func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        AsyncThrowingStream { continuation in
            queue.sync {
                guard fault == nil, let service = services[instance] else {
                    return continuation.finish(throwing: fault ?? DiscoveryError(.noAnswer, "nobody answered"))
                }
                continuation.yield(service)
            }
        }
    }

    package func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        AsyncThrowingStream { continuation in
            queue.sync {
                for address in hosts[host] ?? [] { continuation.yield(address) }
                if let fault { continuation.finish(throwing: fault) }
            }
        }
    }

    private func nextNumber() -> Int {
        count += 1
        return count
    }

    private func publish(_ instance: ServiceInstance, _ service: ResolvedService) {
        services[instance] = service
        for browser in browsers.values { browser.yield(.added(instance)) }
    }

    private func retract(_ instance: ServiceInstance) {
        guard services.removeValue(forKey: instance) != nil else { return }
        for browser in browsers.values { browser.yield(.removed(instance)) }
    }

    private func endBrowsing(_ number: Int) { queue.async { [self] in browsers[number] = nil } }

    private func endRegistration(_ number: Int) {
        queue.async { [self] in
            if let (instance, _) = registrations.removeValue(forKey: number) { retract(instance) }
        }
    }
}
