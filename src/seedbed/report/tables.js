// Tables that sort by their heads, and the search among seeds. Heads are buttons, so keys work as well.
"use strict";

function sortKey(row, column, kind) {
  const cell = row.cells[column];
  return kind === "number" ? Number(cell.dataset.value) : cell.textContent.trim().toLowerCase();
}

function sortBy(head) {
  const table = head.closest("table");
  const body = table.tBodies[0];
  const kind = head.dataset.kind;
  const column = head.cellIndex;
  const before = head.getAttribute("aria-sort");
  const first = kind === "number" && head.textContent.trim() !== "Rank" ? "descending" : "ascending";
  const other = first === "descending" ? "ascending" : "descending";
  const now = before === first ? other : first;
  for (const one of table.tHead.rows[0].cells) one.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", now);
  const sign = now === "ascending" ? 1 : -1;
  const rows = [...body.rows].map((row) => [sortKey(row, column, kind), row]);
  rows.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
  body.append(...rows.map(([, row]) => row));
}

for (const head of document.querySelectorAll("table.sortable th")) {
  head.querySelector("button").addEventListener("click", () => sortBy(head));
}

const search = document.getElementById("search");
const chosenBy = document.getElementById("strategy");
const seedRows = [...document.getElementById("seed-table").tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);

function showSeeds() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let all = 0;
  for (const [row, text] of seedRows) {
    const own = !chosenBy.value || row.dataset.strategy === chosenBy.value;
    const fits = own && words.every((word) => text.includes(word));
    row.hidden = !fits;
    shown += fits;
    all += own;
  }
  document.getElementById("found").textContent = `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} seeds`;
}

search.addEventListener("input", showSeeds);
chosenBy.addEventListener("change", showSeeds);
showSeeds();
