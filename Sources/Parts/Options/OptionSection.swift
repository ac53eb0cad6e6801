import Support

/// The settings of a part of the daemon.
///
/// To add a setting, add its property and its row to the section of its part; to add a section, also add its type to
/// `Options.sections`. The following are derived from the rows: parsing, the configuration, `--help`, hints, shell completions and
/// the manual.
package protocol OptionSection: Equatable, SendableMetatype {
    /// The settings without any option or line.
    init()
    /// The settings, in the order of the help.
    static var table: [Option] { get }
    /// The settings of this section that contradict each other, or those of other sections.
    func contradictions(in options: Options) -> [Contradiction]
    /// Whether a line of this section reacts to an effect of this name.
    func reacts(toEffect name: String) -> Bool
}

extension OptionSection {
    package typealias Contradiction = Options.Contradiction

    package func contradictions(in options: Options) -> [Contradiction] { [] }
    package func reacts(toEffect name: String) -> Bool { false }
}

/// A section of each type.
package struct OptionSections: Equatable {
    /// The sections, in the order of their types.
    package private(set) var all: [any OptionSection]

    package init(_ types: [any OptionSection.Type]) { all = types.map { $0.init() } }

    package subscript<Section: OptionSection>(_: Section.Type) -> Section {
        get { all.lazy.compactMap { $0 as? Section }.first ?? Section() }
        // Changes the section in place: each line of a configuration appends to an array of its section, which would otherwise be
        // copied.
        _modify {
            let index = all.firstIndex { $0 is Section }
            var section = self[Section.self]
            if let index {
                all[index] = Section()
            }
            defer { if let index { all[index] = section } }
            yield &section
        }
    }

    package static func == (one: OptionSections, other: OptionSections) -> Bool {
        zip(one.all, other.all).allSatisfy { $0.isEqual(to: $1) }
    }
}
