/// An observer that ignores everything, for a machine that is only tried out.
final class SilentObserver: MachineObserver {
    func did(_ step: consuming Step) {}
    func refused(_ event: Happening, _ source: Source, _ refusal: Reason) {}
}
