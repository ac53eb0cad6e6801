import { h } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";
import { instantText } from "../shared/time.js";
import { pairsText, senderText } from "../shared/words.js";

/** One change or refusal as a row of the log. */
export function logRow(record, isVirtual, deviceNames) {
    const time = h("time", { datetime: record.time || null }, instantText(record.atMs, isVirtual));
    const number = h("span", { class: "seq" }, record.pos ? `#${record.seq}` : "");
    const what = h("div", { class: "what" }, title(record), details(record));
    const source = sender(record.source, deviceNames);
    const row = h("li", {}, time, number, what, source);
    row.dataset.kind = record.kind;
    if (record.pos) row.dataset.pos = record.pos;
    return row;
}

/** The sender. A device is shown by its name, if it is known, because an address means little to people. */
function sender(source, deviceNames) {
    const device = source?.peer?.device;
    const name = deviceNames.get(device);
    const text = name === undefined ? senderText(source) : `${source.kind} ${name}`;
    const element = h("span", { class: "source", title: device }, text);
    if (device !== undefined) element.dataset.device = device;
    return element;
}

/** The event with its arguments, or the operator's order. */
function title(record) {
    const { kind, event, timer } = record;
    const words = h("p", { class: "title" });
    if (event) words.append(h("strong", {}, event.name), argsOf(event.args));
    else if (timer) words.append(h("strong", {}, timer.action), ` ${timer.fires}${byText(timer)}`);
    else words.append(h("strong", {}, kind), orderText(record));
    if (kind !== "enter" && (event || timer)) words.append(h("span", { class: "kind" }, kind));
    return words;
}

/** What an order contains: the labels that were set, the message, the versions of a move, or the undone changes. */
function orderText({ kind, labels, say: text, versions, undone }) {
    if (kind === "label") return argsOf(labels);
    if (kind === "say") return text === "" ? " nothing" : ` “${text}”`;
    if (undone) return ` of #${undone.from}${undone.to > undone.from ? ` to #${undone.to}` : ""}`;
    return versions ? ` ${versions.from} → ${versions.to}` : "";
}

function argsOf(args) {
    const text = pairsText(args);
    return text === "" ? "" : ` ${text}`;
}

/** By how much an order has extended or shortened a timer; empty for other orders. */
function byText({ byMs }) {
    return byMs === undefined ? "" : ` by ${byMs / 1000} s`;
}

function details(record) {
    if (record.kind === "refused") return h("p", { class: "why" }, `${errorSentence(record.error)}.`);
    const { from, to, effects, reason } = record;
    const parts = [statesText(from, to), dataOf(from, to)];
    const effectTexts = (effects ?? []).map(({ name, args }) => `${name}${argsOf(args)}`).join(", ");
    if (effectTexts !== "") parts.push(h("span", { class: "effects" }, effectTexts));
    if (reason) parts.push(h("span", { class: "reason" }, reasonText(reason)));
    return h("p", { class: "details" }, parts);
}

function statesText(from, to) {
    if (!from) return h("span", {}, `→ ${to.state}`);
    if (!to) return h("span", {}, `${from.state} →`);
    return h("span", {}, from.state === to.state ? to.state : `${from.state} → ${to.state}`);
}

/** The data after the change, if they differ from before. */
function dataOf(from, to) {
    const text = pairsText(to?.data);
    if (text === "" || text === pairsText(from?.data)) return null;
    return h("span", { class: "new-data" }, text);
}

/** The reason: a text, or the refusal for which a deferred event was dropped. */
function reasonText(reason) {
    return typeof reason === "string" ? `“${reason}”` : `${errorSentence(reason)}.`;
}
