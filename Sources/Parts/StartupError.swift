import Support

/// The reason why the daemon cannot start.
package struct StartupError: DescribedError {
    package let why: String

    package init(why: String) { self.why = why }
}
