package import JSONCoding
import Shell
import Support

/// The daemon's settings, from its command line and its configuration: a section for each part, and what was read.
package struct Options: Equatable {
    private var sectionValues: OptionSections

    /// Settings without any option or line, with a section of each type.
    package init(_ sections: [any OptionSection.Type]) { sectionValues = OptionSections(sections) }

    /// The settings of a part.
    package subscript<Section: OptionSection>(_ type: Section.Type) -> Section {
        get { sectionValues[type] }
        _modify { yield &sectionValues[type] }
    }

    /// The limits of the server.
    package var limits = ServerLimits()
    /// The path of the configuration that was read; nil without one.
    package var configuration: String?
    /// The files with certificates, keys and passwords, which the daemon only reads.
    package var namedFiles: [String] = []
    /// The lines of the configuration, by the name of the setting, in order. A reload compares their words.
    package var givenLines: [String: [GivenLine]] = [:]
    /// The options of the command line, in order.
    package var givenOptions: [GivenOption] = []
    /// The names of the options in the command line whose lines in the configuration have no effect.
    package var overriddenNames: Set<String> = []
    /// Warnings about relative paths of the configuration that are used as version 0.1 used them.
    package private(set) var pathNotes: [ConfigurationError] = []
    /// Notes about settings that need a state directory, which the unit of a service sets. Only a check has them.
    package var stateDirectoryNotes: [ConfigurationError] = []
    /// A note that the lines of the configuration are for other nodes only; nil if they are not.
    package var nodeNote: String?

    /// Settings contradict each other.
    package struct Contradiction {
        /// The name of the option that the sentence is about.
        package let option: String
        /// The value of the option, if it can have several; nil for another option.
        package let value: String?
        /// The names of the other options that the sentence is about. Those that are missing are among them, because a mistake in
        /// the line of such an option explains why it is missing.
        package let others: [String]
        package let why: String
        /// Whether a state directory would end the contradiction. The unit of a service sets it.
        package let lacksStateDirectory: Bool

        package init(
            _ option: String, value: String? = nil, and others: [String], _ why: String,
            lacksStateDirectory: Bool = false
        ) {
            (self.option, self.value, self.others, self.why) = (option, value, others, why)
            self.lacksStateDirectory = lacksStateDirectory
        }

        /// The contradiction that one of two options is given without the other; empty if it is not so.
        package static func unpaired(
            _ first: String, _ isFirstGiven: Bool, _ second: String, _ isSecondGiven: Bool
        ) -> [Contradiction] {
            if isFirstGiven == isSecondGiven { return [] }
            let (given, missing) = isFirstGiven ? (first, second) : (second, first)
            return [
                Contradiction(
                    given, and: [missing], "--\(first) and --\(second) require each other")
            ]
        }
    }

    /// The settings that contradict each other.
    package var contradictions: [Contradiction] {
        sectionValues.all.flatMap { $0.contradictions(in: self) }
    }

    /// Whether a line of the configuration reacts to an effect of this name.
    package func reacts(toEffect name: String) -> Bool {
        sectionValues.all.contains { $0.reacts(toEffect: name) }
    }

    /// Adds the warning about a path of the configuration if it is only in the working directory. `name` is the setting.
    package mutating func notePath(
        _ name: String, _ path: String, at word: TextWord, of line: ConfigurationFile.Line,
        in file: ConfigurationFile
    ) {
        guard let note = file.noteAboutPath(name, path, at: word, of: line),
            !pathNotes.contains(note)
        else { return }
        pathNotes.append(note)
    }
}
