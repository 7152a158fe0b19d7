// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import ServiceContextModule

public protocol Injector<Carrier>: Sendable {
    associatedtype Carrier
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Extractor<Carrier>: Sendable {
    associatedtype Carrier
    func extract(key: String, from carrier: Carrier) -> String?
}

public protocol Instrument: Sendable {
    func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Extract.Carrier == Carrier

    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
}

public enum InstrumentationSystem {
    private struct W3C: Instrument {
        func extract<Carrier, Extract>(
            _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
        ) where Extract: Extractor, Extract.Carrier == Carrier {
            context.traceparent = extractor.extract(key: "traceparent", from: carrier)
        }

        func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
        where Inject: Injector, Inject.Carrier == Carrier {
            if let parent = context.traceparent { injector.inject(parent, forKey: "traceparent", into: &carrier) }
        }
    }

    public static var instrument: any Instrument { W3C() }
}
