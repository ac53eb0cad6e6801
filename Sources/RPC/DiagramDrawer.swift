/// Draws the diagrams of flows for the method `graph`. The server implements it with Graphviz.
public protocol DiagramDrawer: AnyObject {
    /// Converts a diagram from DOT to SVG. Calls `done` on the loop's thread, immediately or later, with the SVG text; or
    /// with nil and a sentence that says why the diagram could not be drawn.
    func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void)
}
