/* Builds the document from elements, without markup: text from the server is never parsed as HTML. */

/**
 * Creates an HTML element with attributes, listeners (`onclick: f`) and children (elements or texts).
 * An attribute that is null, undefined or false is left out; true sets it without a value.
 */
export function h(tag, attributes = {}, ...children) {
    return build(document.createElement(tag), attributes, children);
}

/** Creates an SVG element, as `h` does. */
export function svg(tag, attributes = {}, ...children) {
    return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/** The first element that a selector matches; null if the selector matches no element. */
export function find(selector, root = document) {
    return root.querySelector(selector);
}

/** Sets an element's text if it differs, so that screen readers do not announce the same text twice. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Sets an element's children if they differ; the focus stays where it is. */
export function setChildren(element, children) {
    const previous = [...element.children];
    const isSame = (child, index) => child === previous[index];
    if (previous.length === children.length && children.every(isSame)) return;
    const focused = element.contains(document.activeElement) && document.activeElement;
    element.replaceChildren(...children);
    if (focused) focused.focus();
}

/** Adds a style sheet of a part that is loaded when it is needed, unless the page has it. */
export function addStyles(url) {
    const sheets = [...document.querySelectorAll('link[rel="stylesheet"]')];
    if (!sheets.some(({ href }) => href === url.href)) document.head.append(h("link", { rel: "stylesheet", href: url.href }));
}

let idCount = 0;

/** An id that no other element has. */
export function freshId(prefix) {
    idCount += 1;
    return `${prefix}-${idCount}`;
}

// A proxy may serve the daemon below a path.
const root = new URL("../../", import.meta.url);
/** The address of a path of the daemon. */
export const at = (path) => new URL(path, root).href;
/** The parts of the page's path. */
export const ownPath = location.pathname.slice(root.pathname.length).split("/");
