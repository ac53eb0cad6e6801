/// The case of an enum value: its name and its associated values, read with `Mirror`. `Mirror` is slow. Therefore
/// `CaseReflection` is used only when a flow is registered, and for values that are logged or shown.
struct CaseReflection {
    let name: String
    /// The labels of the associated values, in order; nil for a value without a label.
    let labels: [String?]
    /// The associated values that have a label and are an `Argument`.
    let members: [Member]

    /// Reads a value of an enum. A value of another type has its description as the name, and no associated values.
    init<Reflected>(_ value: Reflected) {
        guard let (label, payload) = Mirror(reflecting: value).children.first, let label,
            Mirror(reflecting: value).displayStyle == .enum
        else {
            (name, labels, members) = ("\(value)", [], [])
            return
        }
        // The event `due(signal)`, which a timer's signal becomes, is shown by the signal's name.
        if let signal = payload as? any RawRepresentable<UInt8>, label == "due" {
            (name, labels, members) = ("\(signal)", [], [])
            return
        }
        // `Mirror` shows a single associated value as a tuple of one element if the value has a label, otherwise as the
        // value itself.
        let payloadMirror = Mirror(reflecting: payload)
        let isTuple = payloadMirror.displayStyle == .tuple
        let elements: [Mirror.Child] =
            isTuple ? Array(payloadMirror.children) : [(label: nil, value: payload)]
        name = label
        // `Mirror` labels the elements of a tuple that have no label `.0`, `.1`.
        labels = elements.map { element in
            element.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
        }
        members = zip(labels, elements).compactMap { label, element in
            guard let label, let argument = element.value as? any Argument else { return nil }
            return Member(label, argument.value)
        }
    }
}
