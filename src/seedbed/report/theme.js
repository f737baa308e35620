// The theme: the system's, until the button is used; then the reader's own, kept where the browser allows it.
"use strict";
const theme = {
  printing: false,
  system: window.matchMedia("(prefers-color-scheme: dark)"),
  now: () => document.documentElement.dataset.theme,
  kept() {
    // Pages opened from files may not be allowed to keep anything.
    try { return localStorage.getItem("seedbed-theme"); } catch { return null; }
  },
  keep(name) {
    try { localStorage.setItem("seedbed-theme", name); } catch { /* then it lasts as long as the page */ }
  },
  set(name) {
    document.documentElement.dataset.theme = name;
    const other = name === "dark" ? "light" : "dark";
    document.getElementById("theme")?.setAttribute("aria-label", `Switch to the ${other} theme`);
    const word = document.getElementById("theme-word");
    if (word) word.textContent = other === "dark" ? "Dark" : "Light";
    document.dispatchEvent(new Event("theme"));
  },
  follow() {
    const kept = theme.kept();
    theme.set(kept === "dark" || kept === "light" ? kept : theme.system.matches ? "dark" : "light");
  },
};
theme.follow();
theme.system.addEventListener("change", theme.follow);
// Paper is white and narrow, whatever the screen is.
window.addEventListener("beforeprint", () => { theme.printing = true; theme.set("light"); });
window.addEventListener("afterprint", () => { theme.printing = false; theme.follow(); });
document.addEventListener("DOMContentLoaded", () => {
  theme.follow();
  document.getElementById("theme").addEventListener("click", () => {
    const other = theme.now() === "dark" ? "light" : "dark";
    theme.keep(other);
    theme.set(other);
  });
});
