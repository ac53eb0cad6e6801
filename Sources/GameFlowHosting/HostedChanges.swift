/// The changes of a hosted machine, as a sequence that any task may read: what is saved now first, then each change when it is
/// saved. It ends when the machine is closed or the host is released. If more than `limit` changes wait to be read, the oldest is
/// skipped.
///
/// Each sequence has one reader.
public struct HostedChanges<State: Sendable>: AsyncSequence, Sendable {
    /// The number of the visit of the state, and the state.
    public typealias Element = (entry: Int, state: State)
    public typealias Failure = Never

    /// The greatest number of changes that wait to be read.
    public static var limit: Int { 1024 }

    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) { self.stream = stream }

    public func makeAsyncIterator() -> Iterator { Iterator(iterator: stream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var iterator: AsyncStream<Element>.Iterator

        public mutating func next() async -> Element? { await iterator.next() }

        public mutating func next(isolation: isolated (any Actor)?) async -> Element? {
            await iterator.next(isolation: isolation)
        }
    }
}
