import { pageHeader } from "../shared/credential.js";
import { at, find } from "../shared/dom.js";

/**
 * The picture and the sound of a state, and `theme.css`: files of `--media`. A request for them needs the header `Gamed-Page`, which
 * selects the cookie. Elements such as `img` cannot send it, so the page fetches the files and uses them as blobs.
 */
export class Media {
    #picture = find("#picture");
    #soundButton = find("#sound");
    /** The addresses of the blobs, by file name. */
    #addresses = new Map();
    /** The picture that is shown, or being fetched. */
    #shownFile = "";
    /** The newest visit of a state, so that its sound starts once in a visit; null before the first. */
    #newestVisit = null;
    #audio = new Audio();

    constructor() {
        this.#soundButton.addEventListener("click", () => this.#play());
    }

    /** Applies `theme.css`, if there is such a file. */
    async applyTheme() {
        const response = await request("theme.css");
        if (!response) return;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(await response.text());
        document.adoptedStyleSheets = [sheet];
    }

    /** Shows the state's picture, and plays its sound once for each visit of the state. */
    show(session, { picture = "", sound = "" }) {
        this.#showPicture(picture);
        const visit = `${session.session} ${session.entry}`;
        if (visit === this.#newestVisit) return;
        const isFirstVisit = this.#newestVisit === null;
        this.#newestVisit = visit;
        this.#audio.pause();
        // A page that is loaded during a visit does not play its sound.
        if (sound !== "" && !isFirstVisit) this.#startSound(sound);
    }

    async #showPicture(file) {
        if (file === this.#shownFile) return;
        this.#shownFile = file;
        this.#picture.hidden = true;
        const address = file === "" ? null : await this.#address(file);
        if (file !== this.#shownFile || address === null) return;
        this.#picture.src = address;
        this.#picture.hidden = false;
    }

    async #startSound(file) {
        const visit = this.#newestVisit;
        const address = await this.#address(file);
        if (address === null || visit !== this.#newestVisit) return;
        this.#audio.src = address;
        this.#play();
    }

    /** Plays the sound. If the browser refuses because the user has not touched the page yet, the button is shown. */
    #play() {
        this.#audio.play().then(
            () => (this.#soundButton.hidden = true),
            (error) => (this.#soundButton.hidden = error.name !== "NotAllowedError"),
        );
    }

    /** The address of a file's blob; null if the file cannot be read. */
    async #address(file) {
        if (!this.#addresses.has(file)) {
            const response = await request(file);
            if (!response) return null;
            this.#addresses.set(file, URL.createObjectURL(await response.blob()));
        }
        return this.#addresses.get(file);
    }
}

/** The response with a file of `--media`; null if the file is missing or the server cannot be reached. */
async function request(file) {
    const path = file.split("/").map(encodeURIComponent).join("/");
    const response = await fetch(at(`media/${path}`), { headers: pageHeader }).catch(() => null);
    return response?.ok ? response : null;
}
