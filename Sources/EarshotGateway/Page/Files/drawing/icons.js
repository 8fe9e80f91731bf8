/** Small drawings, as strokes on 24 by 24. They say nothing by themselves: a label or a text beside them does. */

const PATHS = {
  ear: "M7 9a5 5 0 0 1 10 0c0 3-3 4-3 7a3 3 0 0 1-5.5 1.7M10 9.5a2 2 0 0 1 4 0c0 1.2-1.3 1.8-1.3 3",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM20 20l-4.7-4.7",
  plus: "M12 5v14M5 12h14",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
  back: "M15 5l-7 7 7 7",
  down: "M12 5v13M6 12.5l6 6 6-6",
  attach: "M18 11l-6.5 6.5a4 4 0 0 1-5.7-5.7L13 4.6a2.6 2.6 0 0 1 3.7 3.7L9.5 15.5a1.2 1.2 0 0 1-1.7-1.7L14 7.6",
  file: "M7 3.5h6.5L18 8v12.5H7zM13 3.5V8.5h5",
  save: "M12 4v10M7.5 10l4.5 4.5L16.5 10M5 19.5h14",
  send: "M5 12h13M12.5 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5.5M12 7.5v.5",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17v.5",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  verified: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM8.5 11.8l2.5 2.5 4.5-4.8",
  blocked: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.7 5.7l12.6 12.6",
  people: "M9 5a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 9 5zM3 19c0-3.3 2.6-5 6-5s6 1.7 6 5M16 5.3a3 3 0 0 1 0 5.8M17.5 14.2c2.2.5 3.5 2.2 3.5 4.8",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  reply: "M10 6l-5 5 5 5M5 11h8c4 0 6 2.5 6 7",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  retract: "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7",
  smile: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM8.5 14c.8 1.5 2 2.2 3.5 2.2s2.7-.7 3.5-2.2M9 9.5v.5M15 9.5v.5",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  retry: "M19 12a7 7 0 1 1-2-5M19 4v4h-4",
  outside: "M10 6H6v12h12v-4M13 5h6v6M19 5l-8 8",
  late: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 2",
  queued: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 2",
  sent: "M5 12.5l4.5 4.5L19 7.5",
  delivered: "M2.5 12.5L7 17l9-9.5M11 16l1 1 9.5-9.5",
  handled: "M9 4h6v3H9zM6 7h12v11H6zM9.5 12v1.5M14.5 12v1.5M3.5 11v4M20.5 11v4",
  read: "M2.5 12s3.5-6 9.5-6 9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 9.3a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4z",
  failed: "M12 4l9 16H3zM12 10v4.5M12 17v.5",
};

const SVG = "http://www.w3.org/2000/svg";

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name] ?? PATHS.info);
  svg.append(path);
  return svg;
}

/**
 * A picture of squares, such as a QR code, from rows of "0" and "1".
 * @param {string[]} rows @param {string} label
 */
export function squares(rows, label) {
  const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  const margin = 4, size = rows.length + 2 * margin;
  let strokes = "";
  rows.forEach((row, y) => {
    for (const run of row.matchAll(/1+/g)) strokes += `M${run.index + margin} ${y + margin}h${run[0].length}v1h-${run[0].length}z`;
  });
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "squares");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  path.setAttribute("d", strokes);
  svg.append(path);
  return svg;
}
