// Types with names that other frameworks have, for a test that `import GameFlow` does not make these names ambiguous.

/// Stands for `Published` of Combine.
@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// Stands for `Transition` of SwiftUI.
public protocol Transition {}
