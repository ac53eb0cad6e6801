/// Values that may leave the isolation of a machine.
extension StateMachine where State: Sendable {
    /// The machine's states as a stream that any task or actor may read: the present state first. It ends with the machine, or when
    /// the reading task is cancelled. If more than `StateSequence.limit` states wait, the oldest is skipped.
    ///
    /// Call this on the machine's isolation. Each stream has one reader.
    public func stream() -> AsyncStream<State> {
        let publisher = publisher
        return AsyncStream.following(publisher.current) { yield in
            publisher.observe { _, new in yield(new) }
        } onEnd: {
            publisher.onEnd($0)
        }
    }
}

extension Derived where Value: Sendable {
    /// The values as a stream that any task or actor may read: the present value first, then each that differs from the one
    /// before. It ends when the reading task is cancelled. If more than `StateSequence.limit` values wait, the oldest is skipped.
    ///
    /// Call this on the isolation of the machines. Each stream has one reader.
    public func stream() -> AsyncStream<Value> {
        AsyncStream.following(value) { yield in
            // The first call is for the present value, which the stream has already.
            observe { old, new in if old != nil { yield(new) } }
        } onEnd: { end in
            for source in sources { source.onEnd(end) }
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of a first element and of those that an observation reports. `observe` begins the observation and gets the
    /// function that adds an element. `onEnd` gets the function that ends the stream.
    fileprivate static func following(
        _ first: Element, observe: (_ yield: @escaping (Element) -> Void) -> ObservationToken,
        onEnd: (@escaping () -> Void) -> Void
    ) -> AsyncStream {
        let (stream, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(StateSequence<Element>.limit))
        continuation.yield(first)
        let observation = StreamObservation()
        observation.token = observe { element in
            // The reader has ended. Only the machine's isolation may end the observation.
            if case .terminated = continuation.yield(element) { observation.token = nil }
        }
        onEnd {
            continuation.finish()
            observation.token = nil
        }
        return stream
    }
}

/// The observation of a stream; nil when it has ended.
private final class StreamObservation {
    var token: ObservationToken?
}
