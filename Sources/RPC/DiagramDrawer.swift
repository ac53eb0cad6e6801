/// Draws the diagrams of flows for the method `graph`. The server implements it with Graphviz.
public protocol DiagramDrawer: AnyObject {
    /// Converts a diagram from DOT to SVG. Calls `done` on the loop's thread, immediately or later. `svg` is the text
    /// of the SVG file, or nil if the diagram could not be drawn; `why` is then the reason, and empty otherwise.
    func draw(_ dot: String, _ done: @escaping (_ svg: String?, _ why: String) -> Void)
}
