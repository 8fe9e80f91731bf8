/** Takes the files that somebody drags here, or pastes. */
import { h } from "./dom.js";

/**
 * @param {HTMLElement} area where files may be dropped
 * @param {{accepts: () => boolean, take: (files: File[]) => void, refuse: (reason: string) => void}} means
 */
export function takeDrops(area, { accepts, take, refuse }) {
  const hint = h("p", { class: "drop-hint", "aria-hidden": "true", hidden: true }, h("span", {}, "Drop files to attach them"));
  area.append(hint);
  const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  const isHere = (/** @type {DragEvent} */ event) => accepts() && area.contains(/** @type {Node} */ (event.target));
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    // Elsewhere, too: the browser would else leave the page and show the file.
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = isHere(event) ? "copy" : "none";
    hint.hidden = !isHere(event);
  });
  document.addEventListener("dragleave", (event) => { if (event.relatedTarget === null) hint.hidden = true; });
  document.addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    if (!isHere(event) || !event.dataTransfer) return;
    const items = [...event.dataTransfer.items].filter((each) => each.kind === "file");
    const hasFolder = items.some((each) => each.webkitGetAsEntry?.()?.isDirectory);
    if (hasFolder) refuse("a folder cannot be attached: attach the files that are in it");
    else take([...event.dataTransfer.files]);
  });
}

/** The files of what is pasted; none where there is a text, as programs put a picture of it beside it. @param {ClipboardEvent} event */
export function pastedFiles({ clipboardData }) {
  if (!clipboardData || clipboardData.types.includes("text/plain")) return [];
  return [...clipboardData.files];
}
