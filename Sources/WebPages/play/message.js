import { announce } from "../shared/announce.js";
import { find, setText } from "../shared/dom.js";

const toneSeconds = 0.4;
let audio = null;

/** A message with more UTF-16 code units has smaller letters, so that it fits a screen that nobody scrolls. */
const shortMessage = 100;

/** The longest delay that setTimeout accepts. */
const longestTimeoutMs = 2 ** 31 - 1;

/** The operator's message to the players, until its time is over. */
export class Message {
    #element = find("#host-message");
    #clock;
    #timer = 0;
    #chimes;

    /** `chimes`: whether the first message chimes; all others do. */
    constructor(clock, chimes) {
        [this.#clock, this.#chimes] = [clock, chimes];
    }

    /** `message` is the member `say` of `status`; undefined if the session has no message. */
    show(message) {
        clearTimeout(this.#timer);
        const leftMs = message?.untilMs === undefined ? null : message.untilMs - this.#clock.nowMs;
        const text = message && (leftMs === null || leftMs > 0) ? message.text : "";
        if (text !== "" && text !== this.#element.textContent) {
            announce(text);
            if (this.#chimes) chime();
        }
        this.#chimes = true;
        setText(this.#element, text);
        this.#element.classList.toggle("long", text.length > shortMessage);
        this.#element.hidden = text === "";
        const hasEnd = text !== "" && leftMs !== null && !this.#clock.isVirtual;
        if (hasEnd) this.#timer = setTimeout(() => this.show(message), Math.min(leftMs, longestTimeoutMs));
    }
}

/** Plays two short tones. Browsers stay silent until the user has touched the page. */
function chime() {
    audio ??= new AudioContext();
    if (audio.state !== "running") return void audio.resume().catch(() => {});
    playTone(660, 0);
    playTone(880, 0.15);
}

function playTone(hertz, delaySeconds) {
    const start = audio.currentTime + delaySeconds;
    const [oscillator, volume] = [new OscillatorNode(audio, { frequency: hertz }), new GainNode(audio)];
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + toneSeconds);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(start + toneSeconds);
}
