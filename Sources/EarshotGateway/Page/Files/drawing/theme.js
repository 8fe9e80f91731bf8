/** Dark or light: as the person has chosen, else as the system is. */
import { readChoices } from "../talking/tab-storage.js";

export function applyTheme() {
  const { theme } = readChoices();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
