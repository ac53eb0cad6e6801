/// Values that may leave the isolation of a machine.
extension StateMachine where State: Sendable {
    /// The machine's states as a stream that any task or actor may read: the present state first. It ends with the machine, or when
    /// the reading task is cancelled. If more than `StateSequence.limit` states wait, the oldest is skipped.
    ///
    /// Call this on the machine's isolation. Each stream has one reader.
    public func stream() -> AsyncStream<State> {
        let publisher = publisher
        return AsyncStream.following(publisher.current, of: [publisher]) { yield in
            publisher.observe { _, new in yield(new) }
        }
    }
}

extension Derived where Value: Sendable {
    /// The values as a stream that any task or actor may read: the present value first, then each that differs from the one
    /// before. It ends with the last of the machines, or when the reading task is cancelled. If more than `StateSequence.limit`
    /// values wait, the oldest is skipped.
    ///
    /// Call this on the isolation of the machines. Each stream has one reader.
    public func stream() -> AsyncStream<Value> {
        AsyncStream.following(value, of: sources) { yield in
            // The first call is for the present value, which the stream has already.
            observe { old, new in if old != nil { yield(new) } }
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of a first element and of those that an observation reports, until the last of `sources` ends. `observe` begins the
    /// observation and gets the function that adds an element.
    fileprivate static func following(
        _ first: Element, of sources: [any ChangeSource],
        observe: (_ yield: @escaping (Element) -> Void) -> ObservationToken
    ) -> AsyncStream {
        let (stream, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(StateSequence<Element>.limit))
        continuation.yield(first)
        let observation = StreamObservation()
        observation.tokens = [
            observe { element in
                // The reader has ended. Only the machine's isolation may end the observation.
                if case .terminated = continuation.yield(element) { observation.tokens = [] }
            }
        ]
        var running = sources.count
        for source in sources {
            observation.tokens.append(
                source.onEnd {
                    running -= 1
                    guard running == 0 else { return }
                    continuation.finish()
                    observation.tokens = []
                })
        }
        return stream
    }
}

/// The observations of a stream; none when it has ended.
private final class StreamObservation {
    var tokens: [ObservationToken] = []
}
