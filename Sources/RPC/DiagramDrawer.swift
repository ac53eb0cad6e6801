/// Draws the diagrams of flows.
public protocol DiagramDrawer: AnyObject {
    /// Draws a diagram in DOT as SVG. Calls `done` on the loop's thread, immediately or later, with the drawing or a
    /// sentence that says why there is none.
    func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void)
}
