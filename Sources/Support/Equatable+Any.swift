extension Equatable {
    /// Whether another value has the same type and is equal.
    package func isEqual(to other: any Equatable) -> Bool { other as? Self == self }
}
