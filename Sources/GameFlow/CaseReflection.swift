/// The case of an enum value: its name and its associated values, read with `Mirror`. `Mirror` is slow. It is therefore used
/// only when a flow is registered, and for values that are logged or shown.
struct CaseReflection {
    let name: String
    /// The labels of the associated values, in order; nil for a value without a label.
    let labels: [String?]
    /// The associated values that have a label and are an `Argument`.
    let members: [Member]

    init<Value>(_ value: Value) {
        guard let (label, payload) = Mirror(reflecting: value).children.first, let label,
            Mirror(reflecting: value).displayStyle == .enum
        else {
            (name, labels, members) = ("\(value)", [], [])
            return
        }
        // An event `due(signal)` is shown by the signal's name.
        if let signal = payload as? any RawRepresentable<UInt8>, label == "due" {
            (name, labels, members) = ("\(signal)", [], [])
            return
        }
        // `Mirror` shows a single associated value as a tuple of one element if the value has a label, otherwise as the
        // value itself.
        let payloadMirror = Mirror(reflecting: payload)
        let isTuple = payloadMirror.displayStyle == .tuple
        let children =
            isTuple ? payloadMirror.children.map { ($0.label, $0.value) } : [(nil, payload)]
        name = label
        // Unlabelled elements of a tuple are shown as `.0`, `.1`.
        labels = children.map { label, _ in label.flatMap { $0.hasPrefix(".") ? nil : $0 } }
        members = zip(labels, children).compactMap { label, child in
            guard let label, let value = child.1 as? any Argument else { return nil }
            return Member(label, value.value)
        }
    }
}
